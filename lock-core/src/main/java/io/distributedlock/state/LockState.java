package io.distributedlock.state;

import io.distributedlock.state.Register.Status;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of one lock. Times are milliseconds of the store's clock. Not thread-safe.
 * <p>
 * The last request of each contender is in its register. The register of the owner, which
 * has the lock alone or had it last, is kept apart from the others: while it is there, no
 * other request can have had the lock.
 */
final class LockState {

	final LockKey key;

	final long retention;

	/** How many may hold a semaphore, or zero if it is none. */
	int permits;

	/** The register of the owner, or {@code null} before the first. */
	@Nullable Register owner;

	/** How long the lock stays taken at least. */
	Lifetime kept = Lifetime.NONE;

	/** The last fencing token, or zero. */
	long token;

	/** When all of it may be forgotten. */
	long expireAt = Long.MIN_VALUE;

	final Registers registers;

	final Waiters waiters = new Waiters();

	LockState(LockKey key, long retention) {
		this.key = key;
		this.retention = retention;
		this.registers = new Registers(retention);
	}

	/**
	 * The same lock as the clock shows it now. What is over does not count any more. If
	 * the clock went back, nothing lasts longer than it was taken for.
	 */
	LockState at(long now) {
		if (this.owner != null) {
			this.owner = this.owner.at(now);
		}
		if (this.kept.lasts(now)) {
			this.kept = this.kept.at(now);
		}
		this.registers.prune(now);
		this.waiters.prune(now);
		return this;
	}

	boolean isForgotten(long now) {
		return this.expireAt < now;
	}

	/** Whether it has no owner and is not kept; readers and permits do not count. */
	boolean isFree(long now) {
		return (this.owner == null || !this.owner.lasts(now)) && !this.kept.lasts(now);
	}

	/** Whether it is held in any way, or kept. */
	boolean isTaken(long now) {
		return !isFree(now) || !this.registers.holders.isEmpty();
	}

	boolean isHeldBy(RequestId request, long now) {
		Register last = register(request, now);
		return last != null && last.isOf(request) && last.lasts(now);
	}

	boolean isOwner(RequestId request) {
		return this.owner != null && this.owner.isOf(request);
	}

	/** Whether the owner has not ended, though its lease may have run out. */
	boolean isHeldAlone(RequestId request) {
		return isOwner(request) && this.owner != null && this.owner.isHeld();
	}

	/** Whether the lease of the owner may have run out before any command noticed. */
	boolean isUnnoticed() {
		return this.owner != null && this.owner.isHeld() && !this.owner.lifetime().equals(Lifetime.NONE);
	}

	/** Whether there is more to it than one owner. */
	boolean isShared() {
		return this.permits > 0 || !this.registers.holders.isEmpty() || this.waiters.haveNames();
	}

	/**
	 * The register of the last request of the same contender, or that of the request
	 * itself if it is the owner: it is not over because a later one was abandoned.
	 */
	@Nullable Register register(RequestId request, long now) {
		Register other = this.registers.of(request);
		Register alone = (this.owner != null && this.owner.request().isOfSameContender(request)) ? this.owner : null;
		boolean isLater = other != null && !isOwner(request) && (alone == null || other.isAfter(alone.request()));
		return (other != null && isLater) ? other.at(now) : alone;
	}

	/**
	 * Whether the end of a request has yet to be remembered, and can be: no earlier one
	 * of its contender reads or has a permit.
	 */
	boolean isNew(RequestId request, long now) {
		Register last = register(request, now);
		return last == null || (last.isBefore(request) && (last == this.owner || !last.lasts(now)));
	}

	void write(Register register) {
		if (isOwner(register.request())) {
			this.owner = register;
		}
		else {
			this.registers.put(register);
		}
	}

	/**
	 * A request has the lock alone from here on. The owner before is remembered from now
	 * on, as others are from their end.
	 */
	void own(Register taken, long now) {
		if (this.owner != null && !this.owner.request().isOfSameContender(taken.request())) {
			Register last = this.registers.last(this.owner);
			this.registers.put(last.ended(last.isHeld() ? Status.GONE : last.status(), now));
		}
		if (this.registers.last(taken) == taken) {
			this.registers.remove(taken.request());
		}
		this.owner = taken;
	}

	/** An owner that has not released the lock never comes back. */
	void expireOwner() {
		if (this.owner != null) {
			this.owner = this.owner.expired();
		}
		this.kept = Lifetime.NONE;
	}

	/**
	 * Remember the lock for the retention after a time; for longer if others share it.
	 */
	void live(long until, boolean shared) {
		this.expireAt = Math.max(until + this.retention, shared ? this.expireAt : Long.MIN_VALUE);
	}

}
