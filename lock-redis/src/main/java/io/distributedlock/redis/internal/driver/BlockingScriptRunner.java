package io.distributedlock.redis.internal.driver;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.store.CallerThread;
import io.distributedlock.store.DaemonThreadFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Runs scripts with any driver, on a few threads of its own because the driver blocks. In
 * a cluster there are a few for each master, so that a silent one does not delay the
 * others. Calls that wait for a connection go as one if they can. An answer counts only
 * if it bears the number of its command: the pool may hold connections that were returned
 * with an unread answer.
 */
final class BlockingScriptRunner implements ScriptRunner {

	private static final int MAX_THREADS = 4;

	/**
	 * Maximum number of times that a command is sent again after dead connections, closed
	 * by the server or a firewall. An idle pool may have only such. Scripts may be
	 * repeated.
	 */
	private static final int MOST_DEAD_CONNECTIONS = 16;

	/**
	 * Maximum time that commands wait for the first connection, which a driver may open
	 * without a limit. Then each tries for itself.
	 */
	static final Duration LONGEST_FIRST = Duration.ofSeconds(10);

	private final RedisConnectionFactory factory;

	private final Duration longestFirst;

	private final Function<byte[], String> nodes;

	private final Consumer<RedisConnection> breakOff;

	private final Combiner combiner;

	/** Used for all nodes, since one may become known in any call. */
	private final DaemonThreadFactory threadFactory = DaemonThreads.named("redis");

	private final ConcurrentMap<String, ThreadPoolExecutor> threads = new ConcurrentHashMap<>();

	/** The attempt to open the first connection. Written under the monitor. */
	private volatile @Nullable CompletableFuture<Void> first;

	/** Set once there was a connection. */
	private volatile boolean connected;

	private volatile boolean closed;

	/**
	 * Create a runner.
	 * @param factory the source of connections
	 * @param nodes returns the name of the node that has a key; one for all if there is
	 * only one
	 * @param breakOff keeps a connection from returning to its pool
	 * @param lane runs commands on threads of callers, or {@code null} for none
	 * @param longestFirst how long commands wait for the first connection
	 */
	BlockingScriptRunner(RedisConnectionFactory factory, Function<byte[], String> nodes,
			Consumer<RedisConnection> breakOff, @Nullable CallerLane lane, Duration longestFirst) {
		this.factory = factory;
		this.longestFirst = longestFirst;
		this.nodes = nodes;
		this.breakOff = breakOff;
		this.combiner = new Combiner(lane, this::execute, this::inBackground, this::run, Combiner.LONGEST_WAIT);
		// Draws the seed now: the first call may be of a thread that must not block.
		NumberedCommand.nextNumber();
	}

	@Override
	public void run(ScriptCall call) {
		long nanos = CallerThread.take();
		WaitingCall own = new WaitingCall(call);
		if (!this.combiner.run(own, this.closed ? 0 : nanos)) {
			execute(own);
		}
	}

	/** Run a call on a thread of the driver, unless another one takes it first. */
	private void execute(WaitingCall waiting) {
		if (this.connected) {
			submit(waiting);
			return;
		}
		connect().whenComplete((nothing, failure) -> {
			if (failure == null) {
				submit(waiting);
				return;
			}
			ScriptCall call = this.combiner.take(waiting);
			if (call != null) {
				call.completeExceptionally(failure);
			}
		});
	}

	private void submit(WaitingCall waiting) {
		ScriptCall call = waiting.call;
		ThreadPoolExecutor pool = threads(this.nodes.apply(call.keys[0]));
		Attempt attempt = new Attempt(waiting, pool);
		if (call.gathering() == null) {
			call.begin(attempt::withdraw);
		}
		try {
			pool.execute(attempt);
		}
		catch (RejectedExecutionException ex) {
			if (waiting.take()) {
				call.completeExceptionally(ex);
			}
		}
	}

	/** Run a task that may block. Its failure shows with a command. */
	private void inBackground(Runnable task) {
		CompletableFuture<Void> ignored = new CompletableFuture<>();
		inBackground(task, ignored);
	}

	private void inBackground(Runnable task, CompletableFuture<Void> end) {
		try {
			threads("").execute(() -> {
				try {
					task.run();
					end.complete(null);
				}
				catch (Throwable ex) {
					end.completeExceptionally(ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			end.completeExceptionally(closed(ex));
		}
	}

	private static IllegalStateException closed(@Nullable Throwable cause) {
		return new IllegalStateException("The lock store is closed", cause);
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
	public CompletableFuture<?> connect() {
		CompletableFuture<Void> attempt = new CompletableFuture<>();
		synchronized (this) {
			CompletableFuture<Void> last = this.first;
			if (last != null && !last.isCompletedExceptionally()) {
				return last;
			}
			this.first = attempt;
		}
		attempt.completeOnTimeout(null, this.longestFirst.toNanos(), TimeUnit.NANOSECONDS);
		inBackground(() -> {
			open();
			this.connected = true;
		}, attempt);
		return attempt;
	}

	/**
	 * Open the first connection. Clients of Jedis connect with the first command, so it
	 * sends a PING. The client for a cluster has asked its nodes by then, and would ping
	 * each of them.
	 */
	private void open() {
		try (RedisConnection connection = this.factory.getConnection()) {
			if (!(connection instanceof RedisClusterConnection)) {
				connection.ping();
			}
		}
		catch (RuntimeException ex) {
			if (RedisErrors.refusal(ex) == null) {
				throw ex;
			}
		}
	}

	@Override
	public void close() {
		this.closed = true;
		CompletableFuture<Void> attempt = this.first;
		if (attempt != null) {
			attempt.completeExceptionally(closed(null));
		}
		this.threads.values().forEach(DaemonThreads::end);
	}

	/** A call on its way, maybe with others. */
	final class Attempt implements Runnable {

		private final WaitingCall waiting;

		private final ThreadPoolExecutor pool;

		Attempt(WaitingCall waiting, ThreadPoolExecutor pool) {
			this.waiting = waiting;
			this.pool = pool;
		}

		@Override
		public void run() {
			ScriptCall call = BlockingScriptRunner.this.combiner.take(this.waiting);
			if (call != null) {
				try {
					send(call);
				}
				catch (Throwable ex) {
					call.completeExceptionally(ex);
				}
			}
		}

		private void send(ScriptCall call) {
			NumberedCommand command = NumberedCommand.of(call);
			for (int deadConnections = 0; !call.isDone(); deadConnections++) {
				Object answer;
				try (RedisConnection connection = BlockingScriptRunner.this.factory.getConnection()) {
					answer = answerOn(connection, command);
				}
				catch (Throwable ex) {
					if (deadConnections == MOST_DEAD_CONNECTIONS || BlockingScriptRunner.this.closed
							|| !RedisErrors.isDeadConnection(ex)) {
						call.completeExceptionally(ex);
						return;
					}
					continue;
				}
				call.complete(answer);
				return;
			}
		}

		private Object answerOn(RedisConnection connection, NumberedCommand command) {
			try {
				return command.said(evaluate(connection.scriptingCommands(), command));
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

		private static @Nullable Object evaluate(RedisScriptingCommands commands, NumberedCommand command) {
			try {
				return commands.evalSha(command.script().sha, ReturnType.MULTI, command.keyCount(), command.values());
			}
			catch (RuntimeException ex) {
				if (!RedisErrors.isNoScript(ex)) {
					throw ex;
				}
				return commands.eval(command.script().source, ReturnType.MULTI, command.keyCount(), command.values());
			}
		}

		private void withdraw() {
			this.pool.remove(this);
		}

		/** Cancel the call, which will not run any more. */
		void drop() {
			if (this.waiting.take()) {
				this.waiting.call.cancel(true);
			}
		}

	}

}
