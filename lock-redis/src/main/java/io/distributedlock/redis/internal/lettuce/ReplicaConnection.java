package io.distributedlock.redis.internal.lettuce;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Lettuce connection to a primary that ends when it is cut. Lettuce would reconnect and
 * send a WAIT again on a connection that has written nothing, where every replica
 * confirms at once. Lettuce reports the cut before it begins to reconnect.
 */
final class ReplicaConnection implements RedisConnectionStateListener {

	private final StatefulRedisConnection<byte[], byte[]> connection;

	/** The connection to close: in a cluster, that to the whole cluster. */
	private final StatefulConnection<byte[], byte[]> whole;

	private final Duration patience;

	private final AtomicBoolean broken = new AtomicBoolean();

	private ReplicaConnection(StatefulRedisConnection<byte[], byte[]> connection,
			StatefulConnection<byte[], byte[]> whole, Duration patience) {
		this.connection = connection;
		this.whole = whole;
		this.patience = patience;
		connection.addListener(this);
	}

	/**
	 * Connect with the client of a factory, which asks Sentinel for the primary. Blocks.
	 * @param place host and port of a node of a cluster
	 * @param patience the time-out of a command
	 */
	static ReplicaConnection open(LettuceConnectionFactory factory, String place, Duration patience) {
		if (factory.getRequiredNativeClient() instanceof RedisClient client) {
			StatefulRedisConnection<byte[], byte[]> alone = client.connect(ByteArrayCodec.INSTANCE);
			return new ReplicaConnection(alone, alone, patience);
		}
		StatefulRedisClusterConnection<byte[], byte[]> cluster = ((RedisClusterClient) factory
			.getRequiredNativeClient()).connect(ByteArrayCodec.INSTANCE);
		try {
			int colon = place.lastIndexOf(':');
			return new ReplicaConnection(
					cluster.getConnection(place.substring(0, colon), Integer.parseInt(place.substring(colon + 1))),
					cluster, patience);
		}
		catch (RuntimeException ex) {
			cluster.closeAsync();
			throw ex;
		}
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
		end();
	}

	/** Send scripts in a row; completes when all are answered. */
	CompletableFuture<List<Reply>> run(List<ReplicatedCall> calls) {
		List<CompletableFuture<Reply>> replies = calls.stream()
			.map((call) -> reply(call.send(this.connection)))
			.toList();
		return within(this.patience, CompletableFuture.allOf(replies.toArray(CompletableFuture<?>[]::new)))
			.thenApply((nothing) -> replies.stream().map(CompletableFuture::join).toList());
	}

	private static CompletableFuture<Reply> reply(CompletableFuture<Object> answer) {
		return answer.handle((value, failure) -> {
			if (failure == null || failure instanceof RedisCommandExecutionException) {
				return new Reply(value, failure);
			}
			throw new CompletionException(failure);
		});
	}

	/**
	 * Wait until replicas have all writes of this connection.
	 * @return the number of replicas that have them, maybe too few
	 */
	CompletableFuture<Long> awaitReplicas(int count, Duration timeout) {
		return within(timeout.plus(this.patience),
				this.connection.async().waitForReplication(count, timeout.toMillis()).toCompletableFuture());
	}

	private <T> CompletableFuture<T> within(Duration limit, CompletableFuture<T> answer) {
		return answer.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS).thenApply((value) -> {
			if (this.broken.get()) {
				throw new IllegalStateException(
						"The connection was lost, so the answer may be that of another command");
			}
			return value;
		});
	}

	boolean isIntact() {
		return !this.broken.get() && this.connection.isOpen();
	}

	/**
	 * Close it for good; does not block.
	 * @return completes when it is closed
	 */
	CompletableFuture<Void> end() {
		if (!this.broken.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(null);
		}
		// The shutdown of a client closes its connections, and closing twice is a
		// warning.
		boolean closedBefore = this.whole instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
		return closedBefore ? CompletableFuture.completedFuture(null) : this.whole.closeAsync();
	}

	/**
	 * An answer or an error that the server gave.
	 *
	 * @param value the answer
	 * @param failure the error
	 */
	record Reply(@Nullable Object value, @Nullable Throwable failure) {
	}

}
