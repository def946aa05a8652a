package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.LockMode;
import io.distributedlock.engine.timer.HeapTimer;
import org.jspecify.annotations.Nullable;

/**
 * What this instance holds by way of one queue, and who may enter it again: one grant, or
 * any number of permits. The grant is the one that the queue contends for until the store
 * has given it. Guarded by its own monitor, under which no I/O happens. Its timer is an
 * alarm that the queue sets.
 */
abstract class KeyHold extends HeapTimer {

	/** More nested holds of one owner are a recursion that will not end well. */
	static final int MAX_HOLDS = 1 << 16;

	private final Engine engine;

	private final String id;

	private final LockKeys keys;

	private final LockMode mode;

	/** The grant that is contended for, or that holds the lock. */
	@Nullable Grant grant;

	/** When the alarm is meant to go off; one that comes earlier was set for the past. */
	private long alarmAt = Long.MAX_VALUE;

	/** What is held beside the grant: permits, while others wait for more of them. */
	private Set<Grant> permits = Set.of();

	KeyHold(Engine engine, String id, LockKeys keys, LockMode mode) {
		this.engine = engine;
		this.id = id;
		this.keys = keys;
		this.mode = mode;
	}

	Engine engine() {
		return this.engine;
	}

	/** What tells the queues of one instance apart. */
	String id() {
		return this.id;
	}

	LockKeys keys() {
		return this.keys;
	}

	/** Neither {@code DEFAULT} nor {@code WRITE}. */
	LockMode mode() {
		return this.mode;
	}

	void setAlarm(long due) {
		this.alarmAt = due;
		this.engine.loop().schedule(this, due);
	}

	void cancelAlarm() {
		this.alarmAt = Long.MAX_VALUE;
		this.engine.loop().cancel(this);
	}

	boolean isBeforeAlarm(long now) {
		return now < this.alarmAt;
	}

	/** Whether the grant is only contended for. */
	abstract boolean isContending();

	/** The grant that holds the lock. */
	synchronized @Nullable Grant held() {
		Grant held = isContending() ? null : this.grant;
		return (held != null && held.isHeld(this.engine.now())) ? held : null;
	}

	/** The grant that holds the lock, and all permits. */
	synchronized List<Grant> allHeld() {
		Grant held = held();
		if (this.permits.isEmpty()) {
			return (held != null) ? List.of(held) : List.of();
		}
		List<Grant> all = new ArrayList<>(this.permits);
		all.removeIf((permit) -> !permit.isHeld(this.engine.now()));
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

	/**
	 * Enter a lock that is part of what is held here, if its owner asks.
	 * @return whether the waiter has entered or was refused
	 */
	boolean enterPart(Waiter waiter) {
		AfterUnlock effects = new AfterUnlock();
		boolean entered = enterAgain(waiter, effects);
		effects.run();
		return entered;
	}

	/**
	 * Enter what is held here, if its owner asks.
	 * @return whether the waiter has entered or was refused
	 */
	synchronized boolean enterAgain(Waiter waiter, AfterUnlock effects) {
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
			// The owner is an object of the user's, and cannot be compared.
			effects.add(() -> waiter.settle(Failure.of(ex)));
			return true;
		}
		waiter.joined(held.queue);
		enterAgain(held, waiter, effects);
		return true;
	}

	private void enterAgain(Grant held, Waiter waiter, AfterUnlock effects) {
		if (held.holds() >= MAX_HOLDS || waiter.terms.keepFor().compareTo(held.keepFor()) > 0) {
			String problem = (held.holds() >= MAX_HOLDS) ? "was entered " + MAX_HOLDS + " times by one owner"
					: "cannot get a longer keepFor from a re-entrant call";
			effects.add(() -> waiter
				.settle(() -> new IllegalStateException("Lock '" + this.keys.describe() + "' " + problem)));
			return;
		}
		GrantLease lease = new GrantLease(held, waiter);
		held.enter(lease);
		if (held.startRenewing(waiter.terms)) {
			effects.add(() -> held.schedule(this.engine.now()));
		}
		boolean longer = held.lengthen(waiter.terms);
		if (longer || held.isInDoubt()) {
			waiter.entering(lease);
			effects.add(() -> this.engine.renewals().lengthen(held, lease, waiter, longer));
			effects.add(() -> this.engine.watch(waiter));
		}
		else {
			effects.add(() -> lease.giveTo(waiter));
		}
	}

	/** Take a lease off its grant. */
	synchronized boolean exit(GrantLease lease) {
		return lease.grant().exit(lease);
	}

	/** The owner has given up a lease that lives on. */
	synchronized void disown(GrantLease lease) {
		lease.grant().disownUnlessOwned();
	}

	/** The leases on a grant that was lost. */
	synchronized List<GrantLease> leases(Grant lost) {
		List<GrantLease> leases = new ArrayList<>(lost.holds());
		for (GrantLease lease = lost.leases(); lease != null; lease = lease.next) {
			leases.add(lease);
		}
		return leases;
	}

}
