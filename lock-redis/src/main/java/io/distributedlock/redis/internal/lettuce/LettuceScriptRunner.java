package io.distributedlock.redis.internal.lettuce;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;

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
 * Runs scripts with the asynchronous commands of a Lettuce connection. Asking the factory
 * for a connection may block while Redis is down, so that is left to a thread of its own;
 * callers and event loops never wait for it.
 * <p>
 * A server that is frozen, or a network that has forgotten a connection, says nothing at
 * all. A connection of the store's own is cut when a node has not answered for a while;
 * Lettuce opens it anew then, behind Sentinel to the server that is the primary by then,
 * and sends again what is still wanted. That of the application is not touched.
 */
final class LettuceScriptRunner implements ScriptRunner {

	private static final LockLog logger = LockLog.of(LettuceScriptRunner.class);

	private final LettuceConnectionFactory factory;

	/** Not there for a connection of the application's. */
	private final @Nullable Silence silence;

	private final ThreadPoolExecutor connector = DaemonThreads.pool("redis-connect", 1);

	/** Lets calls for different locks go as one while others are on their way. */
	private final Gatherer gatherer = new Gatherer((call) -> run(call, true, false));

	/** The event loops of the client, once the first answer has come on one of them. */
	private volatile @Nullable EventExecutorGroup eventLoops;

	private final Object monitor = new Object();

	private volatile @Nullable StatefulConnection<byte[], byte[]> connection;

	/** To be closed with the connection. Guarded by the monitor. */
	private @Nullable AutoCloseable borrowed;

	/** Guarded by the monitor. */
	private @Nullable CompletableFuture<StatefulConnection<byte[], byte[]>> connecting;

	/** Told when a connection had to be replaced: others of the factory are gone too. */
	private final Runnable reopened;

	/** Confined to the connector thread. */
	private boolean openedBefore;

	/**
	 * Create a runner.
	 * @param factory where the connection comes from
	 * @param silence what notices a dead connection, or {@code null} if the connection is
	 * the application's
	 * @param reopened called when a connection was replaced
	 */
	LettuceScriptRunner(LettuceConnectionFactory factory, @Nullable Silence silence, Runnable reopened) {
		this.factory = factory;
		this.silence = silence;
		this.reopened = reopened;
	}

	/** A call that may gather goes alone while few are on their way, and none waits. */
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

	/** A call has ended that the gatherer has counted, and others may wait for that. */
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
				call.failed(failure);
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

	/** The node of a key lives. Called on the event loop that has read its answer. */
	void answered(byte[] key) {
		if (this.eventLoops == null) {
			EventExecutor eventLoop = ThreadExecutorMap.currentExecutor();
			this.eventLoops = (eventLoop != null && eventLoop.parent() != null) ? eventLoop.parent() : eventLoop;
		}
		if (this.silence != null && !this.silence.nodes.isEmpty() && this.silence.end(key)) {
			this.reopened.run();
		}
	}

	/** Which of the event loops has a connection may change when that is opened anew. */
	@Override
	public boolean isAnsweredBy(Thread thread) {
		EventExecutorGroup all = this.eventLoops;
		if (all != null) {
			for (EventExecutor eventLoop : all) {
				if (eventLoop.inEventLoop(thread)) {
					return true;
				}
			}
		}
		return false;
	}

	/** An answer for a key is not waited for any more. */
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

	/** The connection is closed for good: the next command asks for another. */
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
