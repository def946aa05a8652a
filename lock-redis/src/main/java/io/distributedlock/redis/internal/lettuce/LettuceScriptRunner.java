package io.distributedlock.redis.internal.lettuce;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.StreamSupport;

import io.distributedlock.redis.internal.driver.DaemonThreads;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.text.LockLog;
import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.internal.ThreadExecutorMap;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs scripts with the asynchronous commands of a Lettuce connection. Only a thread of
 * its own asks the factory for a connection, which may block while Redis is down. Callers
 * and event loops never wait for it.
 * <p>
 * A frozen server, or a network that has forgotten a connection, sends nothing at all. A
 * connection of the store's own is cut if a node has not answered for a while. Lettuce
 * then opens it anew, with Sentinel to the current primary, and sends the commands again
 * that are still wanted. The connection of the application is not touched.
 */
final class LettuceScriptRunner implements ScriptRunner {

	private static final LockLog logger = LockLog.of(LettuceScriptRunner.class);

	private final LettuceConnectionFactory factory;

	/** {@code null} for a connection of the application. */
	private final @Nullable Silence silence;

	private final ThreadPoolExecutor connector = DaemonThreads.pool("redis-connect", 1);

	/** Sends calls for different locks as one while others are under way. */
	private final Gatherer gatherer = new Gatherer((call) -> run(call, true, false), this::run);

	/** The event loops of the client, once the first answer has come on one of them. */
	private volatile EventExecutor @Nullable [] eventLoops;

	private final Object monitor = new Object();

	private volatile @Nullable StatefulConnection<byte[], byte[]> connection;

	/** Closed with the connection. Guarded by the monitor. */
	private @Nullable AutoCloseable borrowed;

	/** Guarded by the monitor. */
	private @Nullable CompletableFuture<StatefulConnection<byte[], byte[]>> connecting;

	/** Called when a connection was replaced: others of the factory are gone too. */
	private final Runnable reopened;

	/** Confined to the connector thread. */
	private boolean openedBefore;

	/**
	 * Create a runner.
	 * @param factory the source of the connection
	 * @param silence detects a dead connection, or {@code null} if the connection is the
	 * application's
	 * @param reopened called when a connection was replaced
	 */
	LettuceScriptRunner(LettuceConnectionFactory factory, @Nullable Silence silence, Runnable reopened) {
		this.factory = factory;
		this.silence = silence;
		this.reopened = reopened;
	}

	/**
	 * Run a call. One that may gather goes alone while few are under way and none waits.
	 */
	@Override
	public void run(ScriptCall call) {
		Gatherer others = this.gatherer;
		if (call.gathering() == null) {
			run(call, false, false);
		}
		else if (!others.waiting.isEmpty()) {
			others.add(call);
		}
		else if (others.underWay.getAndIncrement() < Gatherer.MOST_UNDER_WAY) {
			boolean sent = false;
			try {
				run(call, true, false);
				sent = true;
			}
			finally {
				if (!sent) {
					ended();
				}
			}
		}
		else {
			others.underWay.decrementAndGet();
			others.add(call);
		}
	}

	/** Count the end of a call that the gatherer has counted, and send waiting calls. */
	void ended() {
		this.gatherer.underWay.decrementAndGet();
		if (!this.gatherer.waiting.isEmpty()) {
			this.gatherer.sendWaiting();
		}
	}

	void run(ScriptCall call, boolean counted, boolean reconnected) {
		StatefulConnection<byte[], byte[]> current = this.connection;
		if (current != null) {
			new LettuceCall(this, current, call, counted, false, reconnected).send();
			return;
		}
		connect().whenComplete((opened, failure) -> {
			if (failure != null) {
				if (counted) {
					ended();
				}
				call.completeExceptionally(failure);
			}
			else {
				new LettuceCall(this, opened, call, counted, false, reconnected).send();
			}
		});
	}

	@Override
	public CompletableFuture<StatefulConnection<byte[], byte[]>> connect() {
		synchronized (this.monitor) {
			StatefulConnection<byte[], byte[]> current = this.connection;
			if (current != null) {
				return CompletableFuture.completedFuture(current);
			}
			if (this.connecting != null) {
				return this.connecting;
			}
			CompletableFuture<StatefulConnection<byte[], byte[]>> attempt = new CompletableFuture<>();
			try {
				this.connector.execute(() -> open(attempt));
				this.connecting = attempt;
			}
			catch (RejectedExecutionException ex) {
				attempt.completeExceptionally(new IllegalStateException("The lock store is closed", ex));
			}
			return attempt;
		}
	}

	private void open(CompletableFuture<StatefulConnection<byte[], byte[]>> attempt) {
		try {
			LettuceConnection opened = (LettuceConnection) this.factory.getConnection();
			StatefulConnection<byte[], byte[]> used = ((AbstractRedisAsyncCommands<byte[], byte[]>) opened
				.getNativeConnection()).getConnection();
			if (!keep(opened, used)) {
				opened.close();
				throw new IllegalStateException("The lock store is closed");
			}
			attempt.complete(used);
			if (this.openedBefore) {
				this.reopened.run();
			}
			this.openedBefore = true;
		}
		catch (Throwable ex) {
			synchronized (this.monitor) {
				this.connecting = null;
			}
			attempt.completeExceptionally(ex);
		}
	}

	private boolean keep(AutoCloseable opened, StatefulConnection<byte[], byte[]> used) {
		synchronized (this.monitor) {
			if (this.connector.isShutdown()) {
				return false;
			}
			this.borrowed = opened;
			this.eventLoops = null;
			this.connection = used;
			this.connecting = null;
			return true;
		}
	}

	/**
	 * Note that the node of a key lives. Called on the event loop that has read its
	 * answer.
	 */
	void answered(byte[] key) {
		if (this.eventLoops == null) {
			this.eventLoops = all(ThreadExecutorMap.currentExecutor());
		}
		if (this.silence != null && !this.silence.nodes.isEmpty() && this.silence.end(key)) {
			this.reopened.run();
		}
	}

	private static EventExecutor @Nullable [] all(@Nullable EventExecutor one) {
		if (one == null) {
			return null;
		}
		EventExecutorGroup group = (one.parent() != null) ? one.parent() : one;
		return StreamSupport.stream(group.spliterator(), false).toArray(EventExecutor[]::new);
	}

	/**
	 * Check all event loops: a connection may change to another one when it is opened
	 * anew.
	 */
	@Override
	public boolean isAnsweredBy(Thread thread) {
		EventExecutor[] all = this.eventLoops;
		if (all != null) {
			for (EventExecutor eventLoop : all) {
				if (eventLoop.inEventLoop(thread)) {
					return true;
				}
			}
		}
		return false;
	}

	/** Note that an answer for a key is no longer waited for. */
	void unanswered(byte[] key) {
		StatefulConnection<byte[], byte[]> current = this.connection;
		if (this.silence != null && this.silence.lastsTooLong(key) && current != null) {
			logger.debug("Redis has not answered for a while: its connection is replaced");
			cut(current, key);
		}
	}

	private static void cut(StatefulConnection<?, ?> connection, byte[] key) {
		if (connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
			try {
				RedisURI node = cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key)).getUri();
				cluster.getConnectionAsync(node.getHost(), node.getPort()).thenAccept(LettuceScriptRunner::cut);
			}
			catch (RuntimeException ex) {
				logger.debug("The node is not in the cluster any more", ex);
			}
		}
		else {
			cut(connection);
		}
	}

	private static void cut(StatefulConnection<?, ?> connection) {
		if (connection instanceof RedisChannelHandler<?, ?> handler
				&& handler.getChannelWriter() instanceof DefaultEndpoint endpoint) {
			endpoint.disconnect();
		}
	}

	/**
	 * Forget a connection that is closed for good: the next command opens another one.
	 */
	void forget(StatefulConnection<byte[], byte[]> closed) {
		synchronized (this.monitor) {
			AutoCloseable old = this.borrowed;
			if (this.connection != closed || old == null || this.connector.isShutdown()) {
				return;
			}
			this.connection = null;
			this.borrowed = null;
			this.connector.execute(() -> closeQuietly(old));
		}
	}

	@Override
	public void close() {
		AutoCloseable old;
		synchronized (this.monitor) {
			old = this.borrowed;
			DaemonThreads.end(this.connector);
			this.connection = null;
			this.borrowed = null;
		}
		if (old != null) {
			closeQuietly(old);
		}
		this.gatherer.close();
	}

	private static void closeQuietly(AutoCloseable connection) {
		try {
			connection.close();
		}
		catch (Exception ignored) {
			// It was closed before, or its factory was.
		}
	}

}
