package io.distributedlock.engine.internal.instance;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

import io.distributedlock.engine.internal.time.ClockWatch;
import io.distributedlock.engine.internal.time.TimerHeap;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCall;
import io.distributedlock.store.StoreCapability;
import org.jspecify.annotations.Nullable;

/**
 * The common parts of one instance: store, clock, identity, timers and executors. It also
 * counts held locks and commands under way, so that closing can wait for their end. It
 * knows neither queues nor grants. Thread-safe.
 */
public final class Instance {

	/** Number of poll intervals by which a waiter entry outlives the last attempt. */
	private static final int WAITING_POLLS = 3;

	/**
	 * The longest lifetime of a waiter entry; no store counts one that is to last longer.
	 */
	private static final Duration LONGEST_ENTRY = Duration.ofMinutes(1);

	public final LockStore store;

	public final Offer offer;

	/** {@code true} if a release gives the lock to the first waiter. */
	public final boolean hasClaims;

	/** {@code true} if the store wants the threads of callers that wait for it. */
	public final boolean lendsThreads;

	/** Pause between two looks of a waiter that no message wakes. */
	public final Duration pollInterval;

	/** {@code true} if callers of this instance may hand a lock on to each other. */
	public final boolean handOff;

	public final TimerHeap timers;

	public final EngineExecutors executors;

	public final ClockWatch clock;

	public final Counters counters = new Counters();

	public final Traffic traffic;

	/** Lifetime of the waiter entry left in the store. */
	public final Duration entryTtl;

	/**
	 * Extra sleep of a waiter to which the next release gives the lock, and extra
	 * lifetime of its entry: three poll intervals, as far as an entry may last.
	 */
	public final Duration patience;

	private final long longestAskPauseNanos;

	private final LongUnaryOperator jitter;

	private final AtomicLong highestToken = new AtomicLong();

	private final AtomicInteger held = new AtomicInteger();

	/** Releases of held grants that await confirmation. */
	public final AtomicInteger releases = new AtomicInteger();

	/** Ends of requests that may have been applied, and await confirmation. */
	public final AtomicInteger abandons = new AtomicInteger();

	private volatile RequestIds requestIds;

	private volatile boolean closed;

	/**
	 * Create an instance.
	 * @param onDoubt called after a clock jump, when all held locks have to be confirmed
	 */
	public Instance(LockStore store, Duration pollInterval, boolean handOff, EngineDrive drive, TimerHeap timers,
			Runnable onDoubt) {
		this.store = store;
		this.offer = new Offer(store);
		this.hasClaims = this.offer.hasClaims();
		this.lendsThreads = store.capabilities().contains(StoreCapability.CALLER_THREAD);
		this.pollInterval = pollInterval;
		this.handOff = handOff;
		this.timers = timers;
		this.executors = drive.executors();
		this.requestIds = drive.requestIds();
		this.clock = new ClockWatch(drive.ticker(), drive.wallClock(), this::changeIdentity, onDoubt);
		this.traffic = new Traffic(store, this.timers, this::now);
		this.entryTtl = pollInterval.multipliedBy(WAITING_POLLS);
		Duration most = LONGEST_ENTRY.minus(this.entryTtl);
		this.patience = (this.entryTtl.compareTo(most) < 0) ? this.entryTtl : most;
		this.longestAskPauseNanos = pollInterval.plus(this.offer.hasWakeUps() ? this.patience : Duration.ZERO)
			.toNanos();
		this.jitter = drive.jitter();
	}

	/**
	 * Take another identity: the image of this process may have been restored elsewhere
	 * too.
	 */
	private void changeIdentity() {
		this.requestIds = this.requestIds.another();
	}

	/** Return whether no node is in trouble, so that commands need no passage. */
	public boolean isCalm() {
		return this.traffic.troubled.isEmpty();
	}

	/**
	 * Send a command to the store. An exception or Error that the store throws is its
	 * answer, as with {@link StoreCall}, which each call would pass too.
	 */
	public <T> CompletableFuture<T> send(Function<LockStore, CompletableFuture<T>> command) {
		try {
			return Objects.requireNonNull(command.apply(this.store), StoreCall.NO_FUTURE);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** A command was answered, or has failed. Called outside all monitors. */
	public void landed(LockKey key, @Nullable Passage passage, boolean written, @Nullable Throwable failure) {
		if (passage != null || !isCalm()) {
			this.traffic.landed(key, passage, written, failure);
		}
	}

	/** The source of the requests that are made now. */
	public RequestIds requestIds() {
		return this.requestIds;
	}

	public long now() {
		return this.clock.nanos();
	}

	/** A pause of about so many nanoseconds. */
	public long jitter(long nanos) {
		return this.jitter.applyAsLong(nanos);
	}

	/** Return how long callers wait behind a holder before the store is asked for it. */
	public long askPause() {
		return jitter(this.longestAskPauseNanos);
	}

	/** The largest fencing token that this instance has seen. */
	public long highestToken() {
		return this.highestToken.get();
	}

	public void sawToken(long token) {
		this.highestToken.accumulateAndGet(token, Math::max);
	}

	public long commandTimeoutNanos() {
		return this.store.commandTimeout().toNanos();
	}

	/**
	 * Return whether the calling thread brings answers, so that it would wait for itself.
	 */
	public boolean isAnsweredHere() {
		return this.store.isAnsweredBy(Thread.currentThread());
	}

	/** Close the instance: no lock is handed out from here on. */
	public void close() {
		this.closed = true;
	}

	public boolean isClosed() {
		return this.closed;
	}

	/**
	 * Return whether the loop has lost its driver, so that nothing may wait for a
	 * time-out.
	 */
	public boolean isStopped() {
		return this.timers.isStopped();
	}

	/** Count a hold before its grant is visible, so that closing does not miss it. */
	public void holdBegins() {
		this.held.incrementAndGet();
	}

	public void holdEnds() {
		this.held.decrementAndGet();
		signal();
	}

	public int heldCount() {
		return this.held.get();
	}

	public int backgroundCount() {
		return this.releases.get() + this.abandons.get();
	}

	/**
	 * Wait until no lock is held and every release is confirmed.
	 * @param abandoned {@code true} if abandoned requests must be confirmed as well
	 * @param nanos the longest time to wait
	 * @return {@code true} if it is so
	 */
	public synchronized boolean awaitIdle(boolean abandoned, long nanos) throws InterruptedException {
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

	/** Let closing check again, since a hold or a command has ended. */
	public void signal() {
		if (this.closed) {
			synchronized (this) {
				notifyAll();
			}
		}
	}

}
