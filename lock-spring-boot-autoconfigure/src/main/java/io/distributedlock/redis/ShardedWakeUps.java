package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.distributedlock.redis.driver.DaemonThreads;
import io.distributedlock.redis.driver.ShardChannels;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.WakeUpListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Wake-ups by sharded channels of a cluster, which stay on the nodes of a slot. A script
 * may only publish in the slot of its keys, so there is a channel for every slot in which
 * this instance waits, from the first word that it leaves there until some seconds after
 * the last is good. Who waited before the subscription was there looks again.
 * <p>
 * A subscription ends when its slot moves or its node fails, and is made again where the
 * slot is. Nothing depends on it, since waiters poll.
 */
final class ShardedWakeUps implements ShardChannels.Listener, AutoCloseable {

	private static final Log logger = LogFactory.getLog(ShardedWakeUps.class);

	private static final Duration PAUSE = Duration.ofMillis(500);

	private static final Duration LINGER = Duration.ofSeconds(2);

	/** No word in the store is good for longer. */
	private static final Duration LONGEST_WORD = Duration.ofMinutes(1);

	private static final Duration REFRESH_PATIENCE = Duration.ofSeconds(5);

	private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

	private final ShardChannels channels;

	private final String prefix;

	private volatile String instance;

	private final WakeUpListener listener;

	private final Consumer<Throwable> refusals;

	private final LongSupplier nanos;

	/** Does something after some time. */
	private final Function<Duration, Executor> timer;

	private final ConcurrentMap<Integer, WatchedSlot> slots = new ConcurrentHashMap<>();

	private final ThreadPoolExecutor thread = DaemonThreads.pool("wake-up-shards", 1);

	/** Confined to the thread. */
	private long subscriptions;

	/** Confined to the thread. */
	private boolean looking;

	/** Confined to the thread. */
	private boolean refreshing;

	private final AtomicBoolean resubscribing = new AtomicBoolean();

	private volatile boolean offered = true;

	/**
	 * Create it. Nothing is subscribed to.
	 * @param channels makes what subscribes
	 * @param prefix the beginning of the channels
	 * @param instance the end of the channels
	 * @param listener who wants to be woken
	 * @param refusals told once, when there are no sharded channels after all
	 */
	ShardedWakeUps(Function<ShardChannels.Listener, ShardChannels> channels, String prefix, String instance,
			WakeUpListener listener, Consumer<Throwable> refusals) {
		this(channels, prefix, instance, listener, refusals, System::nanoTime,
				(delay) -> CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, Runnable::run));
	}

	ShardedWakeUps(Function<ShardChannels.Listener, ShardChannels> channels, String prefix, String instance,
			WakeUpListener listener, Consumer<Throwable> refusals, LongSupplier nanos,
			Function<Duration, Executor> timer) {
		this.prefix = prefix;
		this.instance = instance;
		this.listener = listener;
		this.refusals = refusals;
		this.nanos = nanos;
		this.timer = timer;
		this.channels = channels.apply(this);
	}

	/** Whether the words of this instance may say that it listens in the slot. */
	boolean isOffered() {
		return this.offered;
	}

	/** The number of the subscription in a slot, or zero if there is none. */
	long subscription(int slot) {
		WatchedSlot watched = this.slots.get(slot);
		return (watched != null) ? watched.since : 0;
	}

	/**
	 * This instance has left word in the store. Does not block.
	 * @param slot the slot of the keys
	 * @param keys what it waits for
	 * @param waiting how long the word is good
	 * @param before the {@link #subscription(int)} before it was left
	 */
	void waits(int slot, List<LockKey> keys, Duration waiting, long before) {
		Duration good = (waiting.compareTo(LONGEST_WORD) < 0) ? waiting : LONGEST_WORD;
		long until = this.nanos.getAsLong() + good.plus(LINGER).toNanos();
		WatchedSlot watched = this.slots.compute(slot, (number, present) -> {
			WatchedSlot current = (present != null) ? present : new WatchedSlot(number, channel("!wake:", number));
			keys.forEach((key) -> current.waits(key.encoded(), until));
			return current;
		});
		long now = watched.since;
		if (now == 0) {
			execute(() -> attend(watched));
		}
		else if (now != before) {
			keys.forEach((key) -> this.listener.lookAgain(key.encoded()));
		}
	}

	private String channel(String purpose, int slot) {
		return this.prefix + purpose + '{' + new String(SlotTags.of(slot), StandardCharsets.ISO_8859_1) + "}:"
				+ this.instance;
	}

	/** Try once at every node, so that what is missing is known before it is needed. */
	void probe() {
		execute(() -> {
			Map<String, Integer> places = new HashMap<>();
			for (int slot = 0; slot < ClusterSlotHashUtil.SLOT_COUNT; slot++) {
				String place = this.channels.placeOf(slot);
				if (place != null) {
					places.putIfAbsent(place, slot);
				}
			}
			places.forEach((place, slot) -> this.channels.subscribe(channel("!probe:", slot), place));
		});
	}

	private void execute(Runnable task) {
		try {
			this.thread.execute(() -> run(task));
		}
		catch (RejectedExecutionException ignored) {
			// Closed: nobody waits any more.
		}
	}

	private static void run(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException ex) {
			logger.debug("The sharded channels of a cluster cannot be seen to now", ex);
		}
	}

	private void attend(WatchedSlot watched) {
		if (this.slots.get(watched.number) == watched) {
			lookLater();
			subscribe(watched);
		}
	}

	private void lookLater() {
		if (!this.looking) {
			this.looking = true;
			this.timer.apply(PAUSE).execute(() -> execute(this::look));
		}
	}

	/** Slots that nobody waits in go, others may have moved or be without a node. */
	private void look() {
		this.looking = false;
		long now = this.nanos.getAsLong();
		for (WatchedSlot watched : this.slots.values()) {
			if (this.slots.computeIfPresent(watched.number,
					(number, current) -> current.isForgotten(now) ? null : current) == null) {
				unsubscribe(watched);
			}
		}
		if (!this.slots.isEmpty()) {
			lookLater();
			this.slots.values().forEach(this::subscribe);
		}
	}

	private void subscribe(WatchedSlot watched) {
		String place = this.channels.placeOf(watched.number);
		long now = this.nanos.getAsLong();
		if (place == null) {
			return;
		}
		String channel = channel("!wake:", watched.number);
		if (!channel.equals(watched.channel)) {
			// Another identity was taken while the slot was added.
			drop(watched);
			watched.channel = channel;
		}
		if (place.equals(watched.place)) {
			if (watched.since != 0 || now - watched.askedAt < PAUSE.toNanos()) {
				return;
			}
		}
		else {
			unsubscribe(watched);
		}
		watched.since = 0;
		watched.place = place;
		watched.askedAt = now;
		this.channels.subscribe(watched.channel, place);
	}

	private void unsubscribe(WatchedSlot watched) {
		if (watched.place != null) {
			this.channels.unsubscribe(watched.channel, watched.place);
		}
	}

	private @Nullable WatchedSlot watched(String channel, String place) {
		WatchedSlot watched = this.slots
			.get(ClusterSlotHashUtil.calculateSlot(channel.getBytes(StandardCharsets.UTF_8)));
		return (watched != null && watched.channel.equals(channel) && place.equals(watched.place)) ? watched : null;
	}

	@Override
	public void subscribed(String channel, String place) {
		execute(() -> {
			WatchedSlot watched = watched(channel, place);
			if (watched == null) {
				this.channels.unsubscribe(channel, place);
			}
			else {
				watched.since = ++this.subscriptions;
				// Those that come from now on were seen to be listened for.
				List.copyOf(watched.keys()).forEach(this.listener::lookAgain);
			}
		});
	}

	@Override
	public void ended(String channel, String place) {
		execute(() -> {
			WatchedSlot watched = watched(channel, place);
			if (watched == null) {
				// A connection that nobody needs ends with its last subscription.
				this.channels.unsubscribe(channel, place);
			}
			else {
				watched.since = 0;
				refresh();
			}
		});
	}

	/** The slot is elsewhere, or will soon be. */
	private void refresh() {
		if (!this.refreshing) {
			this.refreshing = true;
			askAnew().orTimeout(REFRESH_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
				.whenComplete((nothing, failure) -> execute(() -> {
					this.refreshing = false;
					this.slots.values().forEach(this::subscribe);
				}));
		}
	}

	private CompletableFuture<?> askAnew() {
		try {
			return this.channels.refresh().toCompletableFuture().copy();
		}
		catch (RuntimeException ex) {
			// The connection factory is stopped, maybe only for a while.
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public void cut(String place) {
		execute(() -> {
			List<WatchedSlot> lost = this.slots.values()
				.stream()
				.filter((watched) -> place.equals(watched.place))
				.toList();
			lost.forEach((watched) -> watched.since = 0);
			if (!lost.isEmpty()) {
				refresh();
			}
			lost.forEach(this::subscribe);
		});
	}

	/** From here on the channels end with another instance. Does not block. */
	void listenAs(String instance) {
		this.instance = instance;
		resubscribe();
	}

	/** Also the connections of the driver are new. */
	void resubscribe() {
		if (this.resubscribing.compareAndSet(false, true)) {
			execute(() -> {
				this.resubscribing.set(false);
				this.slots.values().forEach(this::resubscribe);
			});
		}
	}

	private void resubscribe(WatchedSlot watched) {
		drop(watched);
		subscribe(watched);
	}

	private void drop(WatchedSlot watched) {
		unsubscribe(watched);
		watched.since = 0;
		watched.place = null;
	}

	@Override
	public void refused(Throwable failure) {
		execute(() -> {
			if (this.offered) {
				this.offered = false;
				this.slots.clear();
				this.channels.close();
				this.refusals.accept(failure);
			}
		});
	}

	@Override
	public void message(String text) {
		// An empty one only shows that it can be sent.
		if (!text.isEmpty()) {
			RedisWakeUpChannel.deliver(text, this.listener);
		}
	}

	@Override
	public void close() {
		execute(this.channels::close);
		this.thread.shutdown();
		DaemonThreads.awaitEnd(this.thread, CLOSE_PATIENCE);
		// The channels are closed in any case.
		this.thread.shutdownNow().forEach(Runnable::run);
	}

}
