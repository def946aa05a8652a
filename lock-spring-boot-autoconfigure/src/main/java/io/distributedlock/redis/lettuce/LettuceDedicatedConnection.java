package io.distributedlock.redis.lettuce;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.distributedlock.redis.driver.DedicatedConnection;
import io.distributedlock.redis.driver.ScriptCall;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;

/**
 * A Lettuce connection that ends when it is cut. Lettuce would reconnect and send a WAIT
 * again on a connection that has written nothing, where every replica confirms at once.
 * It tells of the cut before it begins to reconnect.
 */
final class LettuceDedicatedConnection implements DedicatedConnection, RedisConnectionStateListener {

	private final StatefulRedisConnection<byte[], byte[]> connection;

	private final Duration patience;

	private final Consumer<LettuceDedicatedConnection> giveBack;

	private final AtomicBoolean broken = new AtomicBoolean();

	/**
	 * Use a connection.
	 * @param connection a new one
	 * @param patience how long a command may go unanswered
	 * @param giveBack told when it is not used any more
	 */
	LettuceDedicatedConnection(StatefulRedisConnection<byte[], byte[]> connection, Duration patience,
			Consumer<LettuceDedicatedConnection> giveBack) {
		this.connection = connection;
		this.patience = patience;
		this.giveBack = giveBack;
		connection.addListener(this);
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
		end();
	}

	@Override
	public List<Reply> run(List<? extends ScriptCall> calls) {
		RedisAsyncCommands<byte[], byte[]> commands = this.connection.async();
		List<RedisFuture<Object>> sent = new ArrayList<>(calls.size());
		for (ScriptCall call : calls) {
			if (call.isAsking()) {
				commands.asking();
			}
			sent.add(ScriptOutput.send(commands, call.script(), call.isBySource(), call.keys(), call.args()));
		}
		return sent.stream().map(this::reply).toList();
	}

	private Reply reply(RedisFuture<Object> answer) {
		try {
			return new Reply(await(answer, this.patience), null);
		}
		catch (RedisCommandExecutionException ex) {
			return new Reply(null, ex);
		}
	}

	@Override
	public long awaitReplicas(int count, Duration timeout) {
		return await(this.connection.async().waitForReplication(count, timeout.toMillis()),
				timeout.plus(this.patience));
	}

	private <T> T await(RedisFuture<T> answer, Duration limit) {
		try {
			T value = answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
			if (this.broken.get()) {
				throw new IllegalStateException("The connection was lost, so the answer may be another one's");
			}
			return value;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RedisCommandExecutionException said) {
				throw said;
			}
			end();
			throw new IllegalStateException("The connection for acknowledged acquisitions failed", ex.getCause());
		}
		catch (CancellationException ex) {
			throw new IllegalStateException("The connection for acknowledged acquisitions was lost", ex);
		}
		catch (TimeoutException ex) {
			end();
			throw new IllegalStateException("No answer on the connection for acknowledged acquisitions", ex);
		}
		catch (InterruptedException ex) {
			end();
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	boolean isIntact() {
		return !this.broken.get() && this.connection.isOpen();
	}

	/**
	 * End it for good; does not block.
	 * @return completes when it is closed
	 */
	CompletableFuture<Void> end() {
		if (!this.broken.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(null);
		}
		// The shutdown of a client closes its connections, and closing twice is a
		// warning.
		boolean closedBefore = this.connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
		return closedBefore ? CompletableFuture.completedFuture(null) : this.connection.closeAsync();
	}

	@Override
	public void close() {
		this.giveBack.accept(this);
	}

}
