package io.distributedlock.redis.driver;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.store.CallerThread;
import io.distributedlock.store.DaemonThreadFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Runs scripts with any driver, on a few threads of its own because the driver blocks; in
 * a cluster a few for each master, so that one that does not answer does not delay the
 * others. Believes only an answer that bears the number of its command, since the pool
 * may hold connections that others have put back with an answer unread.
 */
final class BlockingScriptRunner implements ScriptRunner {

	private static final int MAX_THREADS = 4;

	/**
	 * How often a command is sent again after the server or a firewall had closed the
	 * connection. A pool that was idle may have nothing but such. Scripts may be
	 * repeated.
	 */
	private static final int MOST_DEAD_CONNECTIONS = 16;

	private final RedisConnectionFactory factory;

	private final Function<byte[], String> nodes;

	private final Consumer<RedisConnection> breakOff;

	private final @Nullable CallerLane lane;

	/** For all nodes, since one may become known in any call. */
	private final DaemonThreadFactory threadFactory = DaemonThreads.named("redis");

	private final ConcurrentMap<String, ThreadPoolExecutor> threads = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Create a runner.
	 * @param factory where connections come from
	 * @param nodes the name of the node that has a key; one for all if there is only one
	 * @param breakOff keeps a connection from returning to its pool
	 * @param lane what runs commands on threads of callers, or {@code null} for nothing
	 */
	BlockingScriptRunner(RedisConnectionFactory factory, Function<byte[], String> nodes,
			Consumer<RedisConnection> breakOff, @Nullable CallerLane lane) {
		this.factory = factory;
		this.nodes = nodes;
		this.breakOff = breakOff;
		this.lane = lane;
		// Draws the seed now: the first call may be of a thread that must not block.
		NumberedScript.nextNumber();
	}

	@Override
	public CompletableFuture<Object> run(RedisScript script, byte[][] keys, byte[][] args) {
		byte[] number = NumberedScript.nextNumber();
		ThreadPoolExecutor pool = threads(this.nodes.apply(keys[0]));
		Call call = new Call(NumberedScript.of(script), number, keys.length, joined(keys, args, number), pool);
		if (this.lane == null || this.closed || !runHere(call, this.lane)) {
			execute(call, pool);
		}
		return call;
	}

	private static void execute(Call call, ThreadPoolExecutor pool) {
		try {
			pool.execute(call);
		}
		catch (RejectedExecutionException ex) {
			call.completeExceptionally(ex);
		}
	}

	/** On the thread of the caller, if that is lent; false if it is still to be run. */
	private boolean runHere(Call call, CallerLane callers) {
		long nanos = CallerThread.take();
		Object answer = (nanos > 0) ? callers.run(call.script, call.keyCount, call.keysAndArgs, nanos) : null;
		if (answer != null) {
			return call.complete(answer);
		}
		if (nanos > 0 && callers.wantsMore()) {
			inBackground(callers::open);
		}
		return false;
	}

	/** Do something that may block. What goes wrong there shows with a command. */
	private void inBackground(Runnable task) {
		try {
			threads("").execute(() -> {
				try {
					task.run();
				}
				catch (RuntimeException ignored) {
					// A command will tell.
				}
			});
		}
		catch (RejectedExecutionException ignored) {
			// Closed.
		}
	}

	private ThreadPoolExecutor threads(String node) {
		ThreadPoolExecutor pool = this.threads.computeIfAbsent(node,
				(missing) -> this.threadFactory.pool(MAX_THREADS, DaemonThreads.IDLE));
		if (this.closed) {
			pool.shutdown();
		}
		return pool;
	}

	private static byte[][] joined(byte[][] keys, byte[][] args, byte[] number) {
		byte[][] joined = new byte[keys.length + args.length + 1][];
		System.arraycopy(keys, 0, joined, 0, keys.length);
		System.arraycopy(args, 0, joined, keys.length, args.length);
		joined[joined.length - 1] = number;
		return joined;
	}

	@Override
	public void warmUp() {
		inBackground(() -> this.factory.getConnection().close());
	}

	@Override
	public void close() {
		this.closed = true;
		this.threads.values().forEach(DaemonThreads::end);
	}

	/** One script on its way. */
	private final class Call extends CompletableFuture<Object> implements Runnable {

		private final NumberedScript script;

		private final byte[] number;

		private final int keyCount;

		private final byte[][] keysAndArgs;

		private final ThreadPoolExecutor pool;

		Call(NumberedScript script, byte[] number, int keyCount, byte[][] keysAndArgs, ThreadPoolExecutor pool) {
			this.pool = pool;
			this.script = script;
			this.number = number;
			this.keyCount = keyCount;
			this.keysAndArgs = keysAndArgs;
		}

		@Override
		public void run() {
			for (int deadConnections = 0; !isDone(); deadConnections++) {
				Object answer;
				try (RedisConnection connection = BlockingScriptRunner.this.factory.getConnection()) {
					answer = answerOn(connection);
				}
				catch (Throwable ex) {
					if (deadConnections == MOST_DEAD_CONNECTIONS || BlockingScriptRunner.this.closed
							|| !RedisErrors.isDeadConnection(ex)) {
						completeExceptionally(ex);
					}
					continue;
				}
				complete(answer);
			}
		}

		private Object answerOn(RedisConnection connection) {
			try {
				return NumberedScript.said(evaluate(connection.scriptingCommands()), this.number);
			}
			catch (RuntimeException ex) {
				if (!RedisErrors.isForeignAnswer(ex)) {
					throw ex;
				}
				BlockingScriptRunner.this.breakOff.accept(connection);
				IllegalStateException failure = new IllegalStateException("The connection gave the answer of another "
						+ "command: it was put back into the pool with an answer unread");
				failure.addSuppressed(ex);
				throw failure;
			}
		}

		private @Nullable Object evaluate(RedisScriptingCommands commands) {
			try {
				return commands.evalSha(this.script.sha(), ReturnType.MULTI, this.keyCount, this.keysAndArgs);
			}
			catch (RuntimeException ex) {
				if (!RedisErrors.isNoScript(ex)) {
					throw ex;
				}
				return commands.eval(this.script.source(), ReturnType.MULTI, this.keyCount, this.keysAndArgs);
			}
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			this.pool.remove(this);
			return cancelled;
		}

	}

}
