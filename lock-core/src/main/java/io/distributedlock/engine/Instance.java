package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

import io.distributedlock.engine.internal.ClockWatch;
import io.distributedlock.engine.internal.EngineLoop;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of one instance share: its store, clock, identity, timers and executors,
 * and how much it holds and has under way, so that closing can wait for the end of that.
 * A leaf: it knows neither queues nor grants. Thread-safe.
 */
final class Instance {

	/** How many poll intervals a waiter entry outlives the last attempt. */
	private static final int WAITING_POLLS = 3;

	/** No store counts a waiter entry that is to last longer. */
	private static final Duration LONGEST_ENTRY = Duration.ofMinutes(1);

	private static final long LONGEST_CLAIM_NANOS = 1_000_000_000;

	final LockStore store;

	final Offer offer;

	/** Whether the store wants the threads of callers that wait for it. */
	final boolean lendsThreads;

	final EngineSettings settings;

	final EngineLoop loop;

	final EngineExecutors executors;

	final ClockWatch clock;

	final Counters counters = new Counters();

	final Traffic traffic;

	/** Lifetime of the waiter entry left in the store. */
	final Duration entryTtl;

	/**
	 * How much longer a waiter sleeps to which the next release gives the lock, and its
	 * entry lasts: three poll intervals, as far as an entry may last.
	 */
	final Duration patience;

	/**
	 * How long a release may give a lock to a waiter entry of this instance, or zero: no
	 * longer than others would take to find it free, if they were woken and this instance
	 * had died.
	 */
	final long longestClaimNanos;

	private final long longestAskPauseNanos;

	private final LongUnaryOperator jitter;

	private final AtomicLong highestToken = new AtomicLong();

	private final AtomicInteger held = new AtomicInteger();

	/** Releases of held grants that await confirmation. */
	final AtomicInteger releases = new AtomicInteger();

	/** Ends of requests that may have been applied, and await confirmation. */
	final AtomicInteger abandons = new AtomicInteger();

	private volatile RequestIds requestIds;

	private volatile boolean closed;

	/**
	 * Create an instance.
	 * @param onDoubt called after a clock has jumped, when all that is held has to be
	 * confirmed
	 */
	Instance(LockStore store, EngineSettings settings, EngineDrive drive, Runnable onDoubt) {
		this.store = store;
		this.offer = new Offer(store);
		this.lendsThreads = store.capabilities().contains(StoreCapability.CALLER_THREAD);
		this.settings = settings;
		this.loop = drive.loop();
		this.executors = drive.executors();
		this.requestIds = drive.requestIds();
		this.clock = new ClockWatch(drive.ticker(), drive.wallClock(), this::changeIdentity, onDoubt);
		this.traffic = new Traffic(store, this.loop, this::now);
		this.entryTtl = settings.pollInterval().multipliedBy(WAITING_POLLS);
		Duration most = LONGEST_ENTRY.minus(this.entryTtl);
		this.patience = (this.entryTtl.compareTo(most) < 0) ? this.entryTtl : most;
		this.longestAskPauseNanos = settings.pollInterval()
			.plus(this.offer.hasWakeUps() ? this.patience : Duration.ZERO)
			.toNanos();
		this.longestClaimNanos = this.offer.hasClaims()
				? Math.min(LONGEST_CLAIM_NANOS, settings.pollInterval().toNanos()) : 0;
		this.jitter = drive.jitter();
	}

	/** Other processes may have been restored from the same image as this one. */
	private void changeIdentity() {
		this.requestIds = this.requestIds.another();
	}

	/** Send a command, now or in its turn. Called outside all monitors. */
	void send(NodeCommand command) {
		if (this.traffic.troubled.isEmpty()) {
			command.send(true);
		}
		else {
			this.traffic.send(command);
		}
	}

	/** A command was answered, or has failed. Called outside all monitors. */
	void landed(NodeCommand command, @Nullable Passage passage, boolean written, @Nullable Throwable failure) {
		if (passage != null || !this.traffic.troubled.isEmpty()) {
			this.traffic.landed(command, passage, written, failure);
		}
	}

	/** The source of the requests that are made now. */
	RequestIds requestIds() {
		return this.requestIds;
	}

	long now() {
		return this.clock.nanos();
	}

	/** A pause of about so many nanoseconds. */
	long jitter(long nanos) {
		return this.jitter.applyAsLong(nanos);
	}

	/** How long callers wait behind a holder before the store is asked for it. */
	long askPause() {
		return jitter(this.longestAskPauseNanos);
	}

	/** The largest fencing token that this instance has seen. */
	long highestToken() {
		return this.highestToken.get();
	}

	void sawToken(long token) {
		this.highestToken.accumulateAndGet(token, Math::max);
	}

	long commandTimeoutNanos() {
		return this.store.commandTimeout().toNanos();
	}

	/** Whether the calling thread would wait for itself if it waited for an answer. */
	boolean isAnsweredHere() {
		return this.store.isAnsweredBy(Thread.currentThread());
	}

	/** From here on no lock is handed out. */
	void close() {
		this.closed = true;
	}

	boolean isClosed() {
		return this.closed;
	}

	/** From here on the loop has no driver, so nothing may wait for a time-out. */
	boolean isStopped() {
		return this.loop.isStopped();
	}

	/** Counted before the grant is visible, so that closing does not miss it. */
	void holdBegins() {
		this.held.incrementAndGet();
	}

	void holdEnds() {
		this.held.decrementAndGet();
		signal();
	}

	int heldCount() {
		return this.held.get();
	}

	int backgroundCount() {
		return this.releases.get() + this.abandons.get();
	}

	/**
	 * Wait until no lock is held and every release is confirmed.
	 * @param abandoned whether abandoned requests must be confirmed as well
	 * @param nanos the longest time to wait
	 * @return whether it is so
	 */
	synchronized boolean awaitIdle(boolean abandoned, long nanos) throws InterruptedException {
		long deadline = now() + nanos;
		while (heldCount() + (abandoned ? backgroundCount() : this.releases.get()) > 0) {
			long left = deadline - now();
			if (left <= 0) {
				return false;
			}
			wait(left / 1_000_000 + 1);
		}
		return true;
	}

	/** Something has ended. */
	void signal() {
		if (this.closed) {
			synchronized (this) {
				notifyAll();
			}
		}
	}

}
