package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.redis.internal.driver.DaemonThreads;
import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.redis.internal.driver.WakeUpSubscription;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;

/**
 * The channel on which a registry receives the wake-ups of its waiters. Subscribes for
 * the first waiter, on a thread of its own. Waiters do not depend on it: without a
 * subscription they poll. A failed attempt is logged once, and repeated after a back-off.
 * That grows to a second while the server may be down, so that its return is noticed
 * soon. It grows to a minute if the server answers and only the subscription fails.
 */
final class RedisWakeUpChannel implements WakeUpSubscription.Listener, AutoCloseable {

	private static final LockLog logger = LockLog.of(RedisWakeUpChannel.class);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE_WHEN_ANSWERED = Duration.ofMinutes(1);

	/** A subscription that ends earlier counts as failed. */
	private static final Duration SHORTEST_USE = Duration.ofSeconds(1);

	private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

	private final RedisDriver driver;

	private volatile String channel;

	private final WakeUpListener listener;

	private final AtomicBoolean wanted = new AtomicBoolean();

	/** Set if the server has answered a waiter since the last attempt. */
	private volatile boolean answered;

	private final AtomicBoolean resubscribing = new AtomicBoolean();

	private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1,
			DaemonThreads.named("wake-up"));

	/** Confined to the thread. */
	private @Nullable WakeUpSubscription subscription;

	/** The scheduled attempt. Confined to the thread. */
	private @Nullable Future<?> next;

	/** Confined to the thread. */
	private Duration pause = FIRST_PAUSE;

	/** Confined to the thread. */
	private boolean warned;

	private final Runnable onChange;

	private volatile boolean subscribed;

	/** Confined to the thread. */
	private long subscribedAt;

	private volatile boolean closed;

	RedisWakeUpChannel(RedisDriver driver, String channel, WakeUpListener listener) {
		this(driver, channel, listener, () -> {
		});
	}

	/**
	 * Create a channel.
	 * @param onChange called when messages arrive from now on, or may no longer arrive
	 */
	RedisWakeUpChannel(RedisDriver driver, String channel, WakeUpListener listener, Runnable onChange) {
		this.onChange = onChange;
		this.driver = driver;
		this.channel = channel;
		this.listener = listener;
		this.thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	@Override
	public String channel() {
		return this.channel;
	}

	/** Subscribe soon, unless that was done before. Returns at once. */
	void subscribe() {
		if (!this.wanted.get() && this.wanted.compareAndSet(false, true)) {
			execute(this::connect);
		}
	}

	/**
	 * Note that the server answers commands, so a failed subscription is no outage.
	 * Subscribes, too.
	 */
	void answered() {
		subscribe();
		if (!this.subscribed && !this.answered) {
			this.answered = true;
		}
	}

	private void subscribed(boolean subscribed) {
		this.subscribed = subscribed;
		this.onChange.run();
		if (!subscribed) {
			this.listener.wakeUpsLost();
		}
	}

	/** Return whether messages arrive, as far as is known. */
	boolean isSubscribed() {
		return this.subscribed;
	}

	/** Change to another channel. Returns at once. */
	void listenTo(String channel) {
		subscribed(false);
		this.channel = channel;
		resubscribe();
	}

	/**
	 * Replace the subscription, as after a restart of the connection factory, which ends
	 * it for good. Calls before the replacement begins count as one.
	 */
	void resubscribe() {
		if (this.wanted.get() && this.resubscribing.compareAndSet(false, true)) {
			execute(() -> {
				this.resubscribing.set(false);
				stopSubscription();
				connect();
			});
		}
	}

	private void execute(Runnable task) {
		try {
			this.thread.execute(task);
		}
		catch (RejectedExecutionException ignored) {
			// Closed: there are no waiters any more.
		}
	}

	private void connect() {
		if (this.closed || this.subscription != null) {
			return;
		}
		if (this.next != null) {
			// This attempt replaces the scheduled one.
			this.next.cancel(false);
		}
		try {
			WakeUpSubscription attempt = this.driver.subscription(this);
			this.subscription = attempt;
			attempt.start();
			if (this.closed) {
				// The connection took longer than close() waited, so its own stop was
				// dropped.
				stopSubscription();
			}
		}
		catch (RuntimeException ex) {
			stopSubscription();
			tryAgainLater(ex);
		}
	}

	@Override
	public void ended(WakeUpSubscription ended, @Nullable Throwable failure) {
		execute(() -> {
			if (this.subscription == ended) {
				boolean used = this.subscribed && System.nanoTime() - this.subscribedAt >= SHORTEST_USE.toNanos();
				stopSubscription();
				if (used) {
					this.pause = FIRST_PAUSE;
					connectLater();
				}
				else {
					tryAgainLater(
							(failure != null) ? failure : new IllegalStateException("The subscription ended at once"));
				}
			}
		});
	}

	private void connectLater() {
		try {
			this.next = this.thread.schedule(this::connect, this.pause.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ignored) {
			// Closed in the meantime.
		}
	}

	private void tryAgainLater(Throwable failure) {
		if (this.closed) {
			return;
		}
		String refusal = RedisErrors.refusal(failure);
		if (!this.warned) {
			this.warned = true;
			logger.warn(
					"Cannot subscribe to '%s'%s (%s): waiters of distributed locks are not woken and poll until it works%s"
						.formatted(this.channel, of(), RedisErrors.deepestMessage(failure),
								(refusal != null) ? remedy(refusal) : ""));
		}
		logger.debug("Cannot subscribe to '%s'".formatted(this.channel), failure);
		connectLater();
		boolean works = refusal != null || RedisErrors.isUnsupported(failure) || this.answered;
		this.answered = false;
		Duration longest = works ? LONGEST_PAUSE_WHEN_ANSWERED : LONGEST_PAUSE;
		Duration longer = this.pause.multipliedBy(2);
		this.pause = (longer.compareTo(longest) < 0) ? longer : longest;
	}

	/** Return the server for messages, or an empty text. */
	private String of() {
		String place = this.driver.target().place();
		return place.isEmpty() ? "" : " of " + place;
	}

	private String remedy(String refusal) {
		String prefix = this.channel.substring(0, this.channel.lastIndexOf('!'));
		return ". Allow it by: " + RedisPermission.remedy(this.driver.target().user(),
				List.of(RedisPermission.SUBSCRIBE.rule(refusal, prefix)));
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		// First line: the encoded key. Second line, if any: the request whose turn it is.
		// Third line, if any: its token if it has the lock, or 0 if the lock was taken
		// away.
		String[] lines = new String(message.getBody(), StandardCharsets.UTF_8).split("\n");
		switch (lines.length) {
			case 1 -> this.listener.wakeUp(lines[0]);
			case 2 -> this.listener.wakeUp(lines[0], lines[1]);
			default -> {
				long token = Long.parseLong(lines[2]);
				if (token == 0) {
					this.listener.revoked(lines[0], lines[1]);
				}
				else {
					this.listener.claimed(lines[0], lines[1], token);
				}
			}
		}
	}

	/** Called also after a reconnect, when wake-ups may have been missed. */
	@Override
	public void onChannelSubscribed(byte[] subscribed, long count) {
		execute(this::confirmed);
	}

	/** Note the confirmed subscription, unless it was stopped meanwhile. */
	private void confirmed() {
		if (this.subscription == null) {
			return;
		}
		this.subscribedAt = System.nanoTime();
		subscribed(true);
		this.listener.wakeUpAll();
		if (this.warned) {
			this.warned = false;
			logger
				.info("Subscribed to '%s'%s: waiters of distributed locks are woken now".formatted(this.channel, of()));
		}
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			this.thread.execute(this::stopSubscription);
		}
		catch (RejectedExecutionException ignored) {
			// Closed before.
		}
		this.thread.shutdown();
		DaemonThreads.awaitEnd(this.thread, CLOSE_PATIENCE);
		this.thread.shutdownNow();
	}

	private void stopSubscription() {
		WakeUpSubscription current = this.subscription;
		if (current != null) {
			this.subscription = null;
			current.stop();
			subscribed(false);
		}
	}

}
