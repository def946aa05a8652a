package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The grant of one queue: how it is kept, handed on, entered again and ended. Guarded by
 * its own monitor.
 */
abstract class KeyHold implements GrantContext, Waiter.Place {

	final Queues queues;

	private final LockKey key;

	/** The grant that holds the lock, or is about to be released. */
	@Nullable Grant held;

	/** The turn in which the lock was acquired last, if it is to be handed on. */
	private @Nullable Turn turn;

	KeyHold(Queues queues, LockKey key) {
		this.queues = queues;
		this.key = key;
	}

	/** Return the id of this queue, unique within the instance. */
	String id() {
		return this.key.encoded();
	}

	@Override
	public Instance instance() {
		return this.queues.instance;
	}

	@Override
	public List<LockKey> keys() {
		return List.of(this.key);
	}

	@Override
	public LockMode mode() {
		return LockMode.EXCLUSIVE;
	}

	@Override
	public boolean isPlain() {
		return true;
	}

	@Override
	public void abandoned(Grant abandoned) {
		this.queues.ends(abandoned);
	}

	/** Return whether the lock, or a permit, is held or about to be released. */
	boolean isInUse() {
		return this.held != null;
	}

	/**
	 * Forget a lost grant, which blocks the lock no longer, even if its holder is not
	 * notified yet.
	 */
	final void forgetLost() {
		if (this.held != null && this.held.isLost()) {
			this.held = null;
		}
	}

	/** A grant holds the lock, and keeps others from it. */
	void keep(Grant granted) {
		this.held = granted;
	}

	/** A grant does not hold the lock any more. */
	void forget(Grant ended) {
		if (this.held == ended) {
			this.held = null;
		}
	}

	/**
	 * A grant does not hold the lock any more.
	 * @param confirmed {@code true} if the store has confirmed that
	 */
	abstract void ended(Grant ended, boolean confirmed);

	/**
	 * Hold the lock for a waiter.
	 * @return the effect to run outside the monitor
	 */
	Runnable hold(Attempt attempt, Waiter waiter, AcquireOutcome.Granted answer, long now) {
		Grant granted = attempt.grant;
		granted.ownedBy(waiter.owner, waiter.thread(), answer.token());
		granted.begin(waiter.terms, attempt.sentAt, now, attempt.validUntil());
		GrantLease lease = granted.enter(waiter);
		this.queues.holds(granted);
		keep(granted);
		this.turn = (attempt.spareTokens > 0) ? new Turn(attempt, answer) : null;
		return () -> this.queues.granted(lease, waiter, attempt.renewableFrom(), attempt.from());
	}

	/**
	 * Hand the lock on to a waiter, if it is still the turn of this instance.
	 * @return the effect to run outside the monitor; {@code null} if the lock has to be
	 * released instead
	 */
	@Nullable Runnable handOn(Grant left, Waiter waiter) {
		Turn current = this.turn;
		long now = instance().now();
		if (current == null || !current.goesOn(left, waiter.terms, now)) {
			return null;
		}
		Grant next = left.handOn(waiter, now);
		if (next == null) {
			return null;
		}
		current.handedOn(next);
		GrantLease lease = next.enter(waiter);
		keep(next);
		return () -> {
			this.queues.instance.loop.cancel(left);
			tellReleased(left, null);
			this.queues.granted(lease, waiter, next.confirmedAt, AcquiredFrom.THIS_INSTANCE);
		};
	}

	/**
	 * End the turn of this instance.
	 * @return the pause for other instances before the next turn, in nanoseconds
	 */
	final synchronized long endTurn() {
		Turn ended = this.turn;
		this.turn = null;
		return (ended != null) ? ended.pause() : 0;
	}

	@Override
	public synchronized boolean readsInside(Grant writer) {
		endTurn();
		return writer.isHeld(instance().now());
	}

	/** The grant that holds the lock. */
	synchronized @Nullable Grant held() {
		Grant current = this.held;
		return (current != null && current.isHeld(instance().now())) ? current : null;
	}

	/** The grants that hold the lock. */
	List<Grant> allHeld() {
		Grant alone = held();
		return (alone != null) ? List.of(alone) : List.of();
	}

	/**
	 * Let a waiter enter the held lock if its owner has that lock.
	 * @return {@code true} if the waiter has entered or was refused
	 */
	boolean enterAgain(Waiter waiter, AfterUnlock effects) {
		Grant current = waiter.terms.entersAgain(mode()) ? held() : null;
		try {
			if (current == null || current.holds() == 0 || !waiter.isOwnerOf(current)) {
				return false;
			}
		}
		catch (Throwable ex) {
			// The owner is an object of the user, and cannot be compared.
			effects.add(() -> waiter.settle(Failure.of(ex)));
			return true;
		}
		waiter.joined(this);
		this.queues.reentrance.enter(current, waiter, effects);
		return true;
	}

	@Override
	public void lost(Grant lost, LossReason reason) {
		LostRequest.end(lost);
		lost.leases().forEach(GrantLease::lost);
		ended(lost, reason == LossReason.NOT_OWNER);
		instance().counters.losses(reason).increment();
		this.queues.losses.add(lost, reason);
		this.queues.events.lost(lost, reason);
	}

	@Override
	public void released(Grant released, @Nullable LockStoreException failure) {
		released.releaseAnswered(failure);
		ended(released, failure == null);
		tellReleased(released, failure);
	}

	/**
	 * Publish a release. A failure is logged as well; otherwise only a listener needs it.
	 */
	private void tellReleased(Grant released, @Nullable LockStoreException failure) {
		if (failure != null || this.queues.events.listening) {
			this.queues.events.released(released, failure);
		}
	}

	@Override
	public void due(Grant due, long now) {
		this.queues.renewals.due(due, now);
	}

	@Override
	public CompletableFuture<Void> confirm(Grant doubted) {
		return this.queues.renewals.confirm(List.of(doubted));
	}

	@Override
	public CompletableFuture<@Nullable LockStoreException> extend(Grant held, Duration ttl,
			@Nullable Duration keepFor) {
		return new Extend(this.queues.renewals, held, ttl, keepFor).start();
	}

	@Override
	public CompletableFuture<Void> release(Grant closed) {
		return EndCommand.release(closed);
	}

	@Override
	public void disowned(Grant disowned) {
		this.queues.disowned(disowned);
	}

	@Override
	public void wakeUpLines(boolean late) {
		this.queues.wakeUpLines(this, late);
	}

}
