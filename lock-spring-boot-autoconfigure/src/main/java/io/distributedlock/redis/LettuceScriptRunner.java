package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs scripts with the asynchronous commands of the application's own Lettuce
 * connection. Asking the factory for a connection may block while Redis is down, so that
 * is left to a thread of its own; callers and event loops never wait for it.
 * <p>
 * Behind Sentinel, Lettuce asks for the master when it connects. A master that is frozen
 * keeps its connections, so the application's goes nowhere until it is cut. When nothing
 * at all was answered for a while, locks go on with a connection of their own.
 */
final class LettuceScriptRunner implements ScriptRunner {

	private static final Log logger = LogFactory.getLog(LettuceScriptRunner.class);

	private final LettuceConnectionFactory factory;

	private final Silence silence = new Silence();

	private final ThreadPoolExecutor connector = DaemonThreads.pool("redis-connect", 1);

	private final Object monitor = new Object();

	private volatile @Nullable RedisClusterAsyncCommands<byte[], byte[]> commands;

	private @Nullable AutoCloseable connection;

	private boolean replacing;

	private @Nullable CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> connecting;

	/** Told when a connection had to be replaced: others of the factory are gone too. */
	private final Runnable reopened;

	/** Confined to the connector thread. */
	private boolean openedBefore;

	LettuceScriptRunner(LettuceConnectionFactory factory, Runnable reopened) {
		this.factory = factory;
		this.reopened = reopened;
	}

	@Override
	public CompletableFuture<Object> run(LockScript script, byte[][] keys, byte[][] args) {
		LettuceCall call = new LettuceCall(this, script, keys, args);
		call.start();
		return call;
	}

	@Override
	public void warmUp() {
		connect();
	}

	/** The commands of the connection in use, or nothing if there is none yet. */
	@Nullable RedisClusterAsyncCommands<byte[], byte[]> commands() {
		return this.commands;
	}

	/** All who need a connection wait for the same attempt to get one. */
	CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> connect() {
		synchronized (this.monitor) {
			RedisClusterAsyncCommands<byte[], byte[]> current = this.commands;
			if (current != null) {
				return CompletableFuture.completedFuture(current);
			}
			if (this.connecting != null) {
				return this.connecting;
			}
			CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> attempt = new CompletableFuture<>();
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

	private void open(CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> attempt) {
		try {
			LettuceConnection opened = (LettuceConnection) this.factory.getConnection();
			RedisClusterAsyncCommands<byte[], byte[]> openedCommands = opened.getNativeConnection();
			if (!keep(opened, openedCommands)) {
				opened.close();
				throw new IllegalStateException("The lock store is closed");
			}
			attempt.complete(openedCommands);
			if (this.openedBefore) {
				this.reopened.run();
			}
			else {
				LettuceClusterAdvice.giveFor(this.factory);
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

	private boolean keep(LettuceConnection opened, RedisClusterAsyncCommands<byte[], byte[]> openedCommands) {
		synchronized (this.monitor) {
			if (this.connector.isShutdown()) {
				return false;
			}
			this.connection = opened;
			this.commands = openedCommands;
			this.connecting = null;
			return true;
		}
	}

	/** The server behind the connection lives. */
	void answered() {
		this.silence.end();
	}

	/** Somebody has given up waiting for an answer. */
	void unanswered() {
		if (this.silence.lastsTooLong(System.nanoTime()) && this.factory.isRedisSentinelAware()) {
			replace();
		}
	}

	private void replace() {
		synchronized (this.monitor) {
			if (this.commands == null || this.replacing || this.connector.isShutdown()) {
				return;
			}
			this.replacing = true;
			this.connector.execute(this::replaceNow);
		}
	}

	/** The old one still is the application's, unless it was one of these. */
	private void replaceNow() {
		try {
			RedisClient client = (RedisClient) this.factory.getRequiredNativeClient();
			StatefulRedisConnection<byte[], byte[]> opened = client.connect(ByteArrayCodec.INSTANCE);
			AutoCloseable old;
			synchronized (this.monitor) {
				old = this.connector.isShutdown() ? opened : this.connection;
				if (!this.connector.isShutdown()) {
					this.connection = opened;
					this.commands = opened.async();
				}
			}
			if (old != null) {
				closeQuietly(old);
			}
			this.reopened.run();
		}
		catch (RuntimeException ex) {
			logger.debug("Redis has not answered for a while, and there is no other connection to it yet", ex);
		}
		finally {
			this.silence.end();
			synchronized (this.monitor) {
				this.replacing = false;
			}
		}
	}

	/** The connection is closed for good: the next command asks for another. */
	void forget(RedisClusterAsyncCommands<byte[], byte[]> closed) {
		synchronized (this.monitor) {
			AutoCloseable old = this.connection;
			if (this.commands != closed || old == null || this.connector.isShutdown()) {
				return;
			}
			this.commands = null;
			this.connection = null;
			this.connector.execute(() -> closeQuietly(old));
		}
	}

	@Override
	public void close() {
		AutoCloseable old;
		synchronized (this.monitor) {
			old = this.connection;
			DaemonThreads.end(this.connector);
			this.commands = null;
			this.connection = null;
		}
		if (old != null) {
			closeQuietly(old);
		}
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
