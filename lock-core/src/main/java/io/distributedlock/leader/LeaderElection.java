package io.distributedlock.leader;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.Lease;
import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.internal.time.HeapTimer;
import io.distributedlock.store.StoreCall;
import io.distributedlock.text.DisplayText;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * The candidature of one instance for a role: one of all its candidates leads at a time.
 * {@link LeaderElections#create} makes it. Thread-safe.
 * <p>
 * Who leads is decided by the lease on a lock and a monotonic clock, never by an event. A
 * leadership ends {@linkplain LeaderOptions#margin() before} its lease, so that its work
 * can stop before another instance leads. That does not protect the way from a paused
 * process to a resource: there, compare the {@linkplain Leadership#fencingToken() token}.
 *
 * @since 0.1.0
 */
public final class LeaderElection implements AutoCloseable {

	/**
	 * The name of the locks, the same for all roles; the role is the key. It is the name
	 * of a profile, too.
	 */
	public static final String LOCK_NAME = "leader";

	static final String LOST = "its lock was lost";

	static final String NOT_RENEWED = "no renewal of its lease was confirmed in time";

	private static final LockLog logger = LockLog.of(LeaderElection.class);

	/** Time in which others come first after this instance has stepped down. */
	private static final Duration STEP_DOWN_PAUSE = Duration.ofSeconds(2);

	private static final long FIRST_BACK_OFF_NANOS = 1_000_000_000L;

	private static final long LONGEST_BACK_OFF_NANOS = 30_000_000_000L;

	/** Time that a stop waits for the answer to the release, beyond the grace period. */
	private static final Duration LAST_ANSWER = Duration.ofSeconds(5);

	/*
	 * The states. STOPPED → WAITING → LEADING → ENDING → RELEASING → PAUSING, and back to
	 * WAITING, or to STOPPED if it does not run any more. WAITING: a request is in the
	 * line of the lock; a refusal leads to PAUSING. LEADING: the timer looks whether the
	 * margin has begun. ENDING: listeners are called; the timer is the end of their grace
	 * period. RELEASING: the release is on its way. PAUSING: the timer is the time of the
	 * next request, mostly now.
	 *
	 * All changes happen under the monitor of this object, also those by the timer, which
	 * looks at the state and changes it without leaving the monitor. Under it no listener
	 * is called and no command is sent. An election is known to its elections until it is
	 * STOPPED, so that they fire its timer.
	 */
	private enum State {

		STOPPED, PAUSING, WAITING, LEADING, ENDING, RELEASING

	}

	private final LeaderElections elections;

	private final String role;

	private final LeaderOptions options;

	private final LockRequest request;

	private final long leaseNanos;

	private final List<ListenerCalls> listeners = new CopyOnWriteArrayList<>();

	private final Alarm alarm = new Alarm();

	private State state = State.STOPPED;

	private boolean running;

	private boolean closed;

	/**
	 * The request that counts, not one that was withdrawn. Completes when its failure is
	 * noted, or when the lock that it got after the withdrawal is released.
	 */
	private @Nullable CompletableFuture<Void> requested;

	private @Nullable CompletableFuture<Lease> asked;

	private long backOffNanos = FIRST_BACK_OFF_NANOS;

	/** The leadership until its end. */
	private volatile @Nullable Leadership current;

	/** The leadership that has ended, until its release. */
	private @Nullable Leadership ending;

	/** The pause after the release. */
	private long pauseNanos;

	/** Completes when the lock of the last leadership or request is released. */
	private CompletableFuture<Void> released = CompletableFuture.completedFuture(null);

	LeaderElection(LeaderElections elections, String role, LeaderOptions options) {
		this.elections = elections;
		this.role = role;
		this.options = options;
		this.request = request(role, options);
		LockOptions resolved = elections.registry().resolve(this.request);
		requireUsable(resolved);
		this.leaseNanos = leaseNanos(resolved);
	}

	/** Return the length of the lease, zero if it is unknown. */
	private static long leaseNanos(@Nullable LockOptions resolved) {
		Duration ttl = (resolved != null) ? resolved.ttl() : null;
		return (ttl != null) ? ttl.toNanos() : 0;
	}

	/** A request without an end, and without what the global options may limit. */
	private static LockRequest request(String role, LeaderOptions options) {
		LockRequest request = LockRequest.of(LOCK_NAME, role)
			.mode(LockMode.EXCLUSIVE)
			.waitFor(LockOptions.MAX_TTL)
			.renew(true)
			.maxHold(LockOptions.MAX_TTL)
			.keepFor(Duration.ZERO)
			.whenLost(WhenLost.IGNORE);
		return (options.ttl() != null) ? request.ttl(options.ttl()) : request;
	}

	/**
	 * Refuse a profile that would break a promise. It wins over the request, so that the
	 * engine takes the lock as it says.
	 */
	private static void requireUsable(@Nullable LockOptions resolved) {
		if (resolved == null) {
			// A registry that is a mock.
			return;
		}
		LockMode mode = resolved.mode();
		Duration keepFor = resolved.keepFor();
		Duration wait = resolved.waitFor();
		if (mode != null && !mode.isExclusive()) {
			throw unusable("mode", mode.name().toLowerCase(Locale.ROOT),
					"so several instances would lead at once: remove it, or set fair");
		}
		if (keepFor != null && !keepFor.isZero()) {
			throw unusable("keep-for", keepFor, "so the lock of a leader that stops would stay taken: remove it");
		}
		if (wait != null && wait.compareTo(LockOptions.MAX_TTL) < 0) {
			throw unusable("wait", wait, "so candidates would leave the line of the lock: remove it");
		}
		if (Boolean.FALSE.equals(resolved.renew())) {
			throw unusable("renew", false, "so each leadership would end with its first lease: remove it");
		}
		Duration maxHold = resolved.maxHold();
		if (maxHold != null && maxHold.compareTo(LockOptions.MAX_TTL) < 0) {
			throw unusable("max-hold", maxHold, "so each leadership would end after that time: remove it");
		}
	}

	private static InvalidSettingException unusable(String setting, Object value, String reason) {
		return new InvalidSettingException(setting, value, "distributed-lock.locks.%s.%s is %s, %s".formatted(LOCK_NAME,
				setting, InvalidSettingException.text(value), reason));
	}

	/**
	 * The role.
	 * @return the role, as it was given
	 */
	public String role() {
		return this.role;
	}

	LeaderOptions options() {
		return this.options;
	}

	/**
	 * Become a candidate: wait in line, and lead when it is the turn of this one. Does
	 * not block. Does nothing if it runs already.
	 * @throws IllegalStateException if this, all its elections, or their registry were
	 * closed
	 */
	public void start() {
		CompletableFuture<Void> entered;
		synchronized (this) {
			if (this.closed) {
				throw new IllegalStateException(
						"The election of '%s' was closed: create another one".formatted(DisplayText.value(this.role)));
			}
			this.elections.started(this);
			this.running = true;
			if (this.state != State.STOPPED) {
				return;
			}
			entered = nextRequest();
		}
		requireOpen(enter(entered));
	}

	/**
	 * Fail if the registry was closed before the first request. If it is closed later, it
	 * ends the candidature without a word, as in each shutdown.
	 */
	private void requireOpen(CompletableFuture<Lease> sent) {
		Throwable failure = sent.isCompletedExceptionally() ? sent.handle((lease, ex) -> ex).join() : null;
		if (failure instanceof LockRegistryClosedException) {
			throw new IllegalStateException(("Role '%s' cannot be led by this instance: its registry was closed, and "
					+ "hands out no more locks. Create elections on another one with new LeaderElections(registry)")
				.formatted(DisplayText.value(this.role)), failure);
		}
	}

	/**
	 * Stop being a candidate, or the leader: end the leadership, and release the lock
	 * when all listeners have returned, or {@link LeaderOptions#listenerGrace()} later.
	 * Waits for that, but not on the thread of one of these listeners. An interrupt ends
	 * the wait only. May be started again. Do not call it on a thread on which answers of
	 * the store come: it would wait in vain, for the grace period and five seconds.
	 */
	public void stop() {
		CompletableFuture<Void> stopped = stopping();
		synchronized (this) {
			if (this.listeners.stream().anyMatch(ListenerCalls::isCalling)) {
				return;
			}
		}
		try {
			stopped.get(this.options.listenerGrace().plus(LAST_ANSWER).toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.warn("The lock of role '%s' was not released in time: it is free when its lease ends"
				.formatted(DisplayText.value(this.role)), ex);
		}
	}

	/**
	 * {@link #stop() Stop} for ever.
	 */
	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
		}
		stop();
	}

	/**
	 * Begin to stop.
	 * @return completes when nothing is held any more
	 */
	CompletableFuture<Void> stopping() {
		Leadership led;
		CompletableFuture<Lease> waiting;
		CompletableFuture<Void> done;
		synchronized (this) {
			this.running = false;
			led = this.current;
			waiting = this.asked;
			this.asked = null;
			done = this.released;
			if (this.state == State.PAUSING || this.state == State.WAITING) {
				this.requested = null;
				this.elections.timers().cancel(this.alarm);
				stopped();
			}
		}
		if (waiting != null) {
			waiting.cancel(true);
		}
		if (led != null) {
			end(led, "the election was stopped");
		}
		return done;
	}

	/** Be no candidate any more, and hold nothing. Called under the monitor. */
	private void stopped() {
		this.state = State.STOPPED;
		this.elections.stopped(this);
	}

	/**
	 * Return whether this instance certainly leads. Costs no round trip: it compares the
	 * end of the lease, less the {@linkplain LeaderOptions#margin() margin}, with a
	 * monotonic clock.
	 * @return {@code false} as soon as the margin has begun, whether or not a listener
	 * was called
	 */
	public boolean isLeader() {
		Leadership led = this.current;
		return led != null && led.isHeld();
	}

	/**
	 * The leadership of this instance, with the fencing token and the lease.
	 * @return the leadership, or empty if {@link #isLeader()} is {@code false}
	 */
	public Optional<Leadership> leadership() {
		return Optional.ofNullable(this.current).filter(Leadership::isHeld);
	}

	/**
	 * Let other instances lead, as {@link Leadership#stepDown()}.
	 * @return {@code false} if this instance does not lead
	 */
	public boolean stepDown() {
		Leadership led = this.current;
		return led != null && stepDown(led);
	}

	boolean stepDown(Leadership led) {
		return end(led, "it has stepped down", STEP_DOWN_PAUSE.toNanos());
	}

	/**
	 * Add a listener. If this instance leads, the listener is called for that at once.
	 * @param listener the listener, called until the election is garbage
	 */
	public void addListener(LeaderListener listener) {
		ListenerCalls calls = new ListenerCalls(this, listener);
		this.listeners.add(calls);
		calls.wakeUp();
	}

	/** End a leadership whose margin has begun, though no timer has noticed it. */
	void endIfOver() {
		isLeader();
	}

	@Nullable Leadership current() {
		return this.current;
	}

	long now() {
		return this.elections.now();
	}

	void execute(Runnable task) {
		this.elections.callbacks().execute(task);
	}

	/**
	 * Begin to wait for the lock. Called under the monitor, before the request is sent.
	 */
	private CompletableFuture<Void> nextRequest() {
		CompletableFuture<Void> next = new CompletableFuture<>();
		this.state = State.WAITING;
		this.requested = next;
		this.released = next;
		return next;
	}

	/** Send that request. */
	private CompletableFuture<Lease> enter(CompletableFuture<Void> entered) {
		CompletableFuture<Lease> sent = StoreCall.send(() -> this.elections.registry().acquireAsync(this.request));
		boolean stopped;
		synchronized (this) {
			stopped = entered != this.requested;
			this.asked = stopped ? this.asked : sent;
		}
		if (stopped) {
			sent.cancel(true);
		}
		sent.whenComplete((lease, failure) -> {
			if (failure != null) {
				failed(entered, failure);
			}
			else {
				granted(entered, lease);
			}
		});
		return sent;
	}

	private void granted(CompletableFuture<Void> entered, Lease lease) {
		Leadership led = new Leadership(this, lease, this.leaseNanos, now());
		boolean stopped;
		synchronized (this) {
			stopped = entered != this.requested;
			if (!stopped) {
				this.state = State.LEADING;
				this.asked = null;
				this.backOffNanos = FIRST_BACK_OFF_NANOS;
				this.released = led.released();
				this.current = led;
			}
		}
		if (stopped) {
			StoreCall.send(lease::release).whenComplete((ignored, failure) -> entered.complete(null));
			return;
		}
		lease.onLost(() -> end(led, LOST));
		check(led);
		this.listeners.forEach(ListenerCalls::wakeUp);
		report(() -> logger.info("This instance leads '%s', with fencing token %d"
			.formatted(DisplayText.value(this.role), led.fencingToken())));
	}

	private void failed(CompletableFuture<Void> entered, Throwable failure) {
		noteFailure(entered, failure);
		entered.complete(null);
	}

	private void noteFailure(CompletableFuture<Void> entered, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		long pause;
		synchronized (this) {
			if (entered != this.requested) {
				return;
			}
			this.asked = null;
			if (cause instanceof LockRegistryClosedException) {
				this.running = false;
				stopped();
				return;
			}
			pause = this.backOffNanos - ThreadLocalRandom.current().nextLong(this.backOffNanos / 4);
			this.backOffNanos = Math.min(this.backOffNanos * 2, LONGEST_BACK_OFF_NANOS);
			pause(pause);
		}
		report(() -> logger.warn("Role '%s' cannot be led by this instance, which tries again in %d ms"
			.formatted(DisplayText.value(this.role), TimeUnit.NANOSECONDS.toMillis(pause)), cause));
	}

	/** Set the time of the next request. Called under the monitor. */
	private void pause(long nanos) {
		this.state = State.PAUSING;
		this.elections.timers().schedule(this.alarm, now() + nanos);
	}

	/**
	 * Look whether the margin of the lease has begun, or set the time of the next look.
	 */
	void check(Leadership led) {
		long now = now();
		long pause = led.look(now);
		if (pause <= 0) {
			end(led, led.whyOver());
			return;
		}
		synchronized (this) {
			if (this.current == led) {
				this.elections.timers().schedule(this.alarm, now + pause);
			}
		}
	}

	boolean end(Leadership led, String why) {
		return end(led, why, 0);
	}

	/**
	 * End a leadership: call the listeners, and release the lock after that.
	 * @param pauseNanos the pause until this instance is a candidate again, if it runs
	 * @return {@code false} if it had ended already
	 */
	private boolean end(Leadership led, String why, long pauseNanos) {
		synchronized (this) {
			if (this.current != led) {
				return false;
			}
			led.end();
			this.current = null;
			this.ending = led;
			this.pauseNanos = pauseNanos;
			this.state = State.ENDING;
			this.elections.timers().schedule(this.alarm, now() + this.options.listenerGrace().toNanos());
		}
		led.tellEnd();
		this.listeners.forEach(ListenerCalls::wakeUp);
		finishIfQuiet();
		report(() -> logger
			.info("This instance no longer leads '%s': %s".formatted(DisplayText.value(this.role), why)));
		return true;
	}

	/** Write to the log. One that fails must not prevent the calls that follow. */
	private static void report(Runnable line) {
		try {
			line.run();
		}
		catch (Throwable ignored) {
			// It could only be reported to the log, which has just failed.
		}
	}

	/** Release the lock of a leadership that has ended, if all listeners know that. */
	void finishIfQuiet() {
		Leadership left;
		synchronized (this) {
			if (this.state != State.ENDING || this.listeners.stream().anyMatch(ListenerCalls::isInvolved)) {
				return;
			}
			left = leave();
		}
		release(left);
	}

	/** Begin the release. Called under the monitor. */
	private @Nullable Leadership leave() {
		Leadership left = this.ending;
		this.ending = null;
		if (left != null) {
			this.state = State.RELEASING;
			this.elections.timers().cancel(this.alarm);
		}
		return left;
	}

	private void release(@Nullable Leadership left) {
		if (left == null) {
			return;
		}
		// The engine reports a failed release, and repeats it.
		StoreCall.send(left::releaseLock).whenComplete((ignored, failure) -> released());
	}

	private void released() {
		CompletableFuture<Void> done;
		synchronized (this) {
			done = this.released;
			if (this.running) {
				pause(this.pauseNanos);
			}
			else {
				stopped();
			}
		}
		done.complete(null);
	}

	/**
	 * Leave the state whose time has come. Called under the monitor.
	 * @return the rest of that, to be done outside the monitor
	 */
	private @Nullable Runnable goOn() {
		Leadership led = this.current;
		return switch (this.state) {
			case PAUSING -> {
				CompletableFuture<Void> entered = nextRequest();
				yield () -> enter(entered);
			}
			case ENDING -> {
				Leadership left = leave();
				yield () -> release(left);
			}
			default -> (led != null) ? () -> check(led) : null;
		};
	}

	/** The time at which a state wants to go on. */
	private final class Alarm extends HeapTimer {

		/** An alarm that was moved since it was due does nothing. */
		@Override
		public void fire(long now) {
			Runnable rest;
			synchronized (LeaderElection.this) {
				rest = (now < due()) ? null : goOn();
			}
			if (rest != null) {
				rest.run();
			}
		}

	}

}
