package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * What this instance holds by way of one queue, and who may enter it again: one grant, or
 * any number of permits. The grant is the one that the queue contends for until the store
 * has given it. Guarded by its own monitor, under which no I/O happens.
 */
abstract class KeyHold implements GrantContext {

	/** More nested holds of one owner are a recursion that will not end well. */
	static final int MAX_HOLDS = 1 << 16;

	final Queues queues;

	private final String id;

	private final LockKeys keys;

	private final LockMode mode;

	/** The grant that is contended for, or that holds the lock. */
	@Nullable Grant grant;

	/** What is held beside the grant: permits, while others wait for more of them. */
	private Set<Grant> permits = Set.of();

	KeyHold(Queues queues, String id, LockKeys keys, LockMode mode) {
		this.queues = queues;
		this.id = id;
		this.keys = keys;
		this.mode = mode;
	}

	/** What tells the queues of one instance apart. */
	String id() {
		return this.id;
	}

	@Override
	public Instance instance() {
		return this.queues.instance;
	}

	@Override
	public LockKeys keys() {
		return this.keys;
	}

	@Override
	public LockMode mode() {
		return this.mode;
	}

	long now() {
		return this.queues.instance.now();
	}

	/** Whether the grant is only contended for. */
	abstract boolean isContending();

	/** The grant that holds the lock. */
	synchronized @Nullable Grant held() {
		Grant held = isContending() ? null : this.grant;
		return (held != null && held.isHeld(now())) ? held : null;
	}

	/** The grant that holds the lock, and all permits. */
	synchronized List<Grant> allHeld() {
		Grant held = held();
		if (this.permits.isEmpty()) {
			return (held != null) ? List.of(held) : List.of();
		}
		List<Grant> all = new ArrayList<>(this.permits);
		all.removeIf((permit) -> !permit.isHeld(now()));
		return all;
	}

	/** Whether the lock, or a permit, is held or about to be released. */
	boolean isInUse() {
		return this.grant != null || !this.permits.isEmpty();
	}

	/** Set what is held aside, since it does not keep others from getting a permit. */
	void setAside(Grant permit) {
		if (this.permits.isEmpty()) {
			this.permits = new LinkedHashSet<>();
		}
		this.permits.add(permit);
		this.grant = null;
	}

	/** A grant does not hold the lock any more. */
	void forget(Grant ended) {
		if (this.grant == ended) {
			this.grant = null;
		}
		else if (!this.permits.isEmpty()) {
			this.permits.remove(ended);
		}
	}

	@Override
	public boolean enterPart(Waiter waiter) {
		AfterUnlock effects = new AfterUnlock();
		boolean entered = enterAgain(waiter, effects);
		effects.run();
		waiter.watch();
		return entered;
	}

	@Override
	public synchronized boolean enterAgain(Waiter waiter, AfterUnlock effects) {
		if (!waiter.terms.entersAgain(this.mode)) {
			return false;
		}
		Grant held = held();
		try {
			if (held == null || held.holds() == 0 || !waiter.isOwnerOf(held)) {
				return false;
			}
		}
		catch (Throwable ex) {
			// The owner is an object of the user, and cannot be compared.
			effects.add(() -> waiter.settle(Failure.of(ex)));
			return true;
		}
		waiter.joined(place());
		enterAgain(held, waiter, effects);
		return true;
	}

	/** What a waiter leaves that gives up. */
	abstract Waiter.Place place();

	private void enterAgain(Grant held, Waiter waiter, AfterUnlock effects) {
		if (held.holds() >= MAX_HOLDS || waiter.terms.keepFor().compareTo(held.keepFor()) > 0) {
			String problem = (held.holds() >= MAX_HOLDS) ? "was entered " + MAX_HOLDS + " times by one owner"
					: "cannot get a longer keepFor from a re-entrant call";
			effects.add(() -> waiter
				.settle(() -> new IllegalStateException("Lock '" + this.keys.describe() + "' " + problem)));
			return;
		}
		GrantLease lease = lease(held, waiter);
		if (held.startRenewing(waiter.terms)) {
			effects.add(() -> held.schedule(now()));
		}
		boolean longer = held.lengthen(waiter.terms);
		if (longer || held.isInDoubt()) {
			waiter.entering(lease);
			effects.add(() -> this.queues.renewals.lengthen(held, lease, waiter, longer));
		}
		else {
			effects.add(() -> waiter.take(lease));
		}
	}

	/** A new lease on a grant for a waiter. */
	static GrantLease lease(Grant held, Waiter waiter) {
		GrantLease lease = new GrantLease(held, waiter.keys, waiter.terms.whenLost(), waiter.owner);
		held.enter(lease);
		return lease;
	}

	@Override
	public synchronized boolean exit(GrantLease lease) {
		return lease.grant().exit(lease);
	}

	@Override
	public synchronized void disown(GrantLease lease) {
		lease.grant().disownUnlessOwned();
	}

	private synchronized List<GrantLease> leases(Grant lost) {
		List<GrantLease> leases = new ArrayList<>(lost.holds());
		for (GrantLease lease = lost.leases(); lease != null; lease = lease.next) {
			leases.add(lease);
		}
		return leases;
	}

	@Override
	public void lost(Grant lost, LossReason reason) {
		LostRequest.end(lost);
		leases(lost).forEach(GrantLease::lost);
		ended(lost, reason == LossReason.NOT_OWNER);
		this.queues.events.lost(lost, reason);
	}

	@Override
	public void due(Grant held, long now) {
		this.queues.renewals.due(held, now);
	}

	@Override
	public CompletableFuture<Void> confirm(Grant held) {
		return this.queues.renewals.confirm(held);
	}

	@Override
	public CompletableFuture<Void> release(Grant held) {
		return this.queues.releases.release(held);
	}

	@Override
	public void abandoned(Grant abandoned) {
		this.queues.ends(abandoned);
	}

	@Override
	public void disowned(Grant disowned) {
		this.queues.disowned(disowned);
	}

	@Override
	public void ownersChanged(Grant held) {
		this.queues.ownersChanged(held);
	}

	@Override
	public void wakeUpLines() {
		this.queues.wakeUpLines(this.keys);
	}

	@Override
	public void wakeUpOverlapping() {
		this.queues.wakeUpOverlapping(this);
	}

}
