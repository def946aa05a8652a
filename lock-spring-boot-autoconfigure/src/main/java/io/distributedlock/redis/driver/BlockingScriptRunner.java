package io.distributedlock.redis.driver;

import java.util.Arrays;
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
	public void run(ScriptCall call) {
		ThreadPoolExecutor pool = threads(this.nodes.apply(call.keys()[0]));
		Attempt attempt = new Attempt(call, pool);
		if (this.lane == null || this.closed || !runHere(attempt, this.lane)) {
			call.begin(attempt);
			try {
				pool.execute(attempt);
			}
			catch (RejectedExecutionException ex) {
				call.failed(ex);
			}
		}
	}

	/** On the thread of the caller, if that is lent; false if it is still to be run. */
	private boolean runHere(Attempt attempt, CallerLane callers) {
		long nanos = CallerThread.take();
		Object answer = (nanos > 0) ? callers.run(attempt.script, attempt.keyCount, attempt.values, nanos) : null;
		if (answer != null) {
			attempt.call.answered(answer);
			return true;
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
	final class Attempt implements Runnable, ScriptCall.Command {

		private final ScriptCall call;

		private final ThreadPoolExecutor pool;

		private final NumberedScript script;

		private final int keyCount;

		/** Keys and arguments, and the number of the command. */
		private final byte[][] values;

		Attempt(ScriptCall call, ThreadPoolExecutor pool) {
			this.call = call;
			this.pool = pool;
			this.script = NumberedScript.of(call.sha(), call.source());
			byte[][] keys = call.keys();
			byte[][] args = call.args();
			this.keyCount = keys.length;
			this.values = Arrays.copyOf(keys, keys.length + args.length + 1);
			System.arraycopy(args, 0, this.values, keys.length, args.length);
			this.values[this.values.length - 1] = NumberedScript.nextNumber();
		}

		@Override
		public void run() {
			for (int deadConnections = 0; !this.call.isDone(); deadConnections++) {
				Object answer;
				try (RedisConnection connection = BlockingScriptRunner.this.factory.getConnection()) {
					answer = answerOn(connection);
				}
				catch (Throwable ex) {
					if (deadConnections == MOST_DEAD_CONNECTIONS || BlockingScriptRunner.this.closed
							|| !RedisErrors.isDeadConnection(ex)) {
						this.call.failed(ex);
						return;
					}
					continue;
				}
				this.call.answered(answer);
				return;
			}
		}

		private Object answerOn(RedisConnection connection) {
			try {
				return NumberedScript.said(evaluate(connection.scriptingCommands()),
						this.values[this.values.length - 1]);
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
				return commands.evalSha(this.script.sha(), ReturnType.MULTI, this.keyCount, this.values);
			}
			catch (RuntimeException ex) {
				if (!RedisErrors.isNoScript(ex)) {
					throw ex;
				}
				return commands.eval(this.script.source(), ReturnType.MULTI, this.keyCount, this.values);
			}
		}

		@Override
		public void withdraw() {
			this.pool.remove(this);
		}

		/** It will not run any more. */
		void drop() {
			this.call.cancel(true);
		}

	}

}
