package io.distributedlock.redis.lettuce;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.redis.driver.ShardChannels;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Sharded channels of one node, on a connection that ends when it is cut and when nobody
 * needs it. Lettuce would reconnect and subscribe to all channels by one command, which a
 * cluster refuses as soon as they lie in two slots.
 */
final class LettuceShardNode extends RedisPubSubAdapter<String, String> implements RedisConnectionStateListener {

	private static final long PATIENCE_SECONDS = 3;

	private final String place;

	private final ShardChannels.Listener listener;

	private final BiConsumer<LettuceShardNode, CompletableFuture<Void>> gone;

	private final Set<String> wanted = ConcurrentHashMap.newKeySet();

	/** Channels whose subscription was not answered yet. */
	private final Set<String> asked = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean over = new AtomicBoolean();

	private volatile @Nullable StatefulRedisPubSubConnection<String, String> connection;

	private volatile boolean mayPublish;

	/** After what was sent last, since commands wait for the connection in order. */
	private CompletableFuture<RedisPubSubAsyncCommands<String, String>> last = new CompletableFuture<>();

	/**
	 * Create a node.
	 * @param place the name of the node
	 * @param listener told what happens
	 * @param gone told when this one can be used no more, and when its connection is
	 * closed
	 */
	LettuceShardNode(String place, ShardChannels.Listener listener,
			BiConsumer<LettuceShardNode, CompletableFuture<Void>> gone) {
		this.place = place;
		this.listener = listener;
		this.gone = gone;
	}

	String place() {
		return this.place;
	}

	void open(CompletionStage<StatefulRedisPubSubConnection<String, String>> connecting) {
		this.last = connecting.toCompletableFuture().thenApply(this::connected);
		this.last.whenComplete((commands, failure) -> {
			if (failure != null) {
				end(true);
			}
		});
	}

	private RedisPubSubAsyncCommands<String, String> connected(StatefulRedisPubSubConnection<String, String> opened) {
		this.connection = opened;
		opened.addListener((RedisConnectionStateListener) this);
		opened.addListener((RedisPubSubListener<String, String>) this);
		if (this.over.get()) {
			opened.closeAsync();
		}
		else if (!opened.isOpen()) {
			end(true);
		}
		return opened.async();
	}

	private void send(Consumer<RedisPubSubAsyncCommands<String, String>> command) {
		this.last = this.last.thenApply((commands) -> {
			try {
				command.accept(commands);
			}
			catch (RuntimeException ex) {
				// The client was shut down.
				end(true);
			}
			return commands;
		});
	}

	void subscribe(String channel) {
		this.wanted.add(channel);
		if (this.asked.add(channel)) {
			send((commands) -> subscribe(commands, channel));
		}
	}

	/** Who may subscribe but not publish would wait for messages that nobody can send. */
	private void subscribe(RedisPubSubAsyncCommands<String, String> commands, String channel) {
		CompletableFuture<?> published = this.mayPublish ? CompletableFuture.completedFuture(null)
				: commands.spublish(channel, "").toCompletableFuture();
		CompletableFuture<?> subscribed = commands.ssubscribe(channel).toCompletableFuture();
		CompletableFuture.allOf(published, subscribed)
			.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
			.whenComplete((nothing, failure) -> answered(channel, failure));
	}

	private void answered(String channel, @Nullable Throwable failure) {
		this.asked.remove(channel);
		if (failure == null) {
			this.mayPublish = true;
		}
		else if (isRefusal(failure)) {
			this.listener.refused(failure);
		}
		else if (failure.getCause() instanceof RedisCommandExecutionException) {
			this.listener.ended(channel, this.place);
		}
		else {
			end(true);
		}
	}

	private static boolean isRefusal(Throwable failure) {
		return RedisErrors.refusal(failure) != null || RedisErrors.isUnknownCommand(failure);
	}

	void unsubscribe(String channel) {
		if (this.wanted.remove(channel)) {
			send((commands) -> commands.sunsubscribe(channel)
				.whenComplete((nothing, failure) -> unsubscribed(failure)));
		}
	}

	private void unsubscribed(@Nullable Throwable failure) {
		if (failure != null && isRefusal(failure)) {
			this.listener.refused(failure);
		}
		else if (this.wanted.isEmpty()) {
			end(false);
		}
	}

	/**
	 * End it for good; does not block.
	 * @param tell whether the listener has to know
	 */
	void end(boolean tell) {
		if (this.over.compareAndSet(false, true)) {
			this.gone.accept(this, close());
			if (tell) {
				this.listener.cut(this.place);
			}
		}
	}

	private CompletableFuture<Void> close() {
		StatefulRedisPubSubConnection<String, String> opened = this.connection;
		// The shutdown of a client closes its connections, and closing twice is a
		// warning.
		boolean closedBefore = opened instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
		return (opened == null || closedBefore) ? CompletableFuture.completedFuture(null) : opened.closeAsync();
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
		end(true);
	}

	@Override
	public void ssubscribed(String channel, long count) {
		this.listener.subscribed(channel, this.place);
		if (this.over.get()) {
			// It was on its way here when the connection was given up.
			this.listener.cut(this.place);
		}
	}

	/** Also when the slot has gone to another node. */
	@Override
	public void sunsubscribed(String channel, long count) {
		this.listener.ended(channel, this.place);
	}

	@Override
	public void smessage(String channel, String text) {
		this.listener.message(text);
	}

}
