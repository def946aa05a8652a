package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * What this instance holds by way of one queue, and who may enter it again: one grant, or
 * any number of permits. Guarded by its own monitor.
 */
abstract class KeyHold implements GrantContext, Waiter.Place {

	final Queues queues;

	/** What tells the queues of one instance apart. */
	final String id;

	private final List<LockKey> keys;

	private final LockMode mode;

	/** The grant that holds the lock, or is about to be released. */
	@Nullable Grant held;

	/** The same of permits, which do not keep others from getting one. */
	private Set<Grant> permits = Set.of();

	/** When the store last said something useful about this lock. */
	long answeredAt = Long.MIN_VALUE;

	KeyHold(Queues queues, String id, List<LockKey> keys, LockMode mode) {
		this.queues = queues;
		this.id = id;
		this.keys = keys;
		this.mode = mode;
	}

	@Override
	public Instance instance() {
		return this.queues.instance;
	}

	@Override
	public List<LockKey> keys() {
		return this.keys;
	}

	@Override
	public LockMode mode() {
		return this.mode;
	}

	@Override
	public boolean isPlain() {
		return this.mode == LockMode.EXCLUSIVE && this.keys.size() == 1;
	}

	@Override
	public void abandoned(Grant abandoned) {
		this.queues.ends(abandoned);
	}

	/** Whether the lock, or a permit, is held or about to be released. */
	final boolean isInUse() {
		return this.held != null || !this.permits.isEmpty();
	}

	/** What is lost and has yet to be told so keeps no one from the lock. */
	final void forgetLost() {
		if (this.held != null && this.held.isLost()) {
			this.held = null;
		}
	}

	/** A grant does not hold the lock any more. */
	final void forget(Grant ended) {
		if (this.held == ended) {
			this.held = null;
		}
		else if (!this.permits.isEmpty()) {
			this.permits.remove(ended);
		}
	}

	/**
	 * A grant does not hold the lock any more.
	 * @param confirmed whether the store has said so
	 */
	abstract void ended(Grant ended, boolean confirmed);

	/**
	 * The lock is held for a waiter.
	 * @return what is done about it outside the monitor
	 */
	Runnable hold(Attempt attempt, Waiter waiter, long token, long now) {
		Grant granted = attempt.grant;
		this.answeredAt = now;
		granted.ownedBy(waiter.owner, waiter.thread(), token);
		granted.begin(waiter.terms, attempt.sentAt, now, attempt.validUntil());
		GrantLease lease = granted.enter(waiter);
		this.queues.holds(granted);
		if (this.mode == LockMode.SEMAPHORE) {
			this.permits = this.permits.isEmpty() ? new LinkedHashSet<>() : this.permits;
			this.permits.add(granted);
		}
		else {
			this.held = granted;
		}
		return () -> this.queues.granted(granted, lease, waiter, attempt.sentAt);
	}

	/** The grant that holds the lock. */
	synchronized @Nullable Grant held() {
		Grant current = this.held;
		return (current != null && current.isHeld(instance().now())) ? current : null;
	}

	/** The grant that holds the lock, and all permits. */
	synchronized List<Grant> allHeld() {
		List<Grant> all = new ArrayList<>();
		for (Grant permit : this.permits) {
			if (permit.isHeld(instance().now())) {
				all.add(permit);
			}
		}
		Grant alone = held();
		if (alone != null) {
			all.add(alone);
		}
		return all;
	}

	/**
	 * Enter what is held here, if its owner asks.
	 * @return whether the waiter has entered or was refused
	 */
	boolean enterAgain(Waiter waiter, AfterUnlock effects) {
		Grant current = waiter.terms.entersAgain(this.mode) ? held() : null;
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
		this.queues.events.lost(lost, reason);
	}

	@Override
	public void released(Grant released, @Nullable LockStoreException failure) {
		ended(released, failure == null);
		this.queues.events.released(released, failure);
	}

	@Override
	public void due(Grant due, long now) {
		this.queues.renewals.due(due, now);
	}

	@Override
	public CompletableFuture<Void> confirm(Grant doubted) {
		return this.queues.renewals.confirm(doubted);
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
