package io.distributedlock.state;

import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.state.Register.Status;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The stored state of one lock. Times are milliseconds of the store's clock. Not
 * thread-safe.
 * <p>
 * The last request of each contender is in its register. The owner has the lock alone or
 * had it last; its register is kept apart from the others. While its status is
 * {@code HELD}, no other request has taken the lock, except readers of that owner.
 */
final class LockState {

	final LockKey key;

	final long retention;

	/** The number of permits of a semaphore, or zero if it is none. */
	int permits;

	/**
	 * Set if that number was set for all requests: then it counts before theirs, and the
	 * state is not forgotten.
	 */
	boolean fixed;

	/** The register of the owner, or {@code null} before the first owner. */
	@Nullable Register owner;

	/** Minimum time that the lock stays taken, even without a holder. */
	Lifetime kept = Lifetime.NONE;

	/**
	 * Time for which the lock stays closed after the lease of the owner has run out, in
	 * milliseconds. Counts while the owner has not ended.
	 */
	long delay;

	/** The last fencing token, or zero. */
	long token;

	/** Time after which the whole state may be forgotten. */
	long expireAt = Long.MIN_VALUE;

	/**
	 * How many milliseconds later than it seems the present time may be: new leases end
	 * later by it, and a lease is only cut if it is too long for the latest time. Not
	 * stored.
	 */
	long slack;

	final Registers registers;

	final Waiters waiters = new Waiters();

	LockState(LockKey key, long retention) {
		this.key = key;
		this.retention = retention;
		this.registers = new Registers(retention);
	}

	/**
	 * Return this lock, updated to the given time: readers, permits and waiter entries
	 * whose time is over no longer count. If the clock went back, no lifetime is longer
	 * than it was at its start.
	 */
	LockState at(long now) {
		long latest = now + this.slack;
		if (this.owner != null) {
			this.owner = this.owner.at(latest);
		}
		if (this.kept.lasts(now)) {
			this.kept = this.kept.at(latest);
		}
		this.registers.prune(now, latest);
		this.waiters.prune(now);
		return this;
	}

	/**
	 * Set the number of permits for all requests, or remove it.
	 * @param number the number, or zero to remove it
	 * @return {@code false} if the lock is in use and no semaphore
	 */
	boolean setPermits(int number, long now) {
		if (this.permits == 0 && isInUse(now)) {
			return false;
		}
		if (number > 0 || this.fixed) {
			this.fixed = number > 0;
			this.permits = this.fixed ? number : this.permits;
			long last = this.registers.holders.isEmpty() ? 0 : this.registers.holders.last().end(now);
			live(Math.max(Math.max(now, last), Math.max(closedUntil(now), this.kept.end(now))), false);
		}
		return true;
	}

	boolean isForgotten(long now) {
		return this.expireAt < now;
	}

	/**
	 * Return whether the lock has no owner, is not closed after one and is not kept;
	 * readers and permits do not count.
	 */
	boolean isFree(long now) {
		return !isClosed(now) && !this.kept.lasts(now);
	}

	/**
	 * Return whether the owner has the lock, or its lease has run out within the delay.
	 */
	boolean isClosed(long now) {
		return closedUntil(now) > now;
	}

	/** Return the end of the lease of an owner that has not ended, and of the delay. */
	long closedUntil(long now) {
		return (this.owner != null && this.owner.isHeld()) ? this.owner.end(now) + this.delay : Long.MIN_VALUE;
	}

	/** Return whether the lock is closed after the lease of its owner has run out. */
	boolean isDelayed(long now) {
		return isClosed(now) && this.owner != null && !this.owner.lasts(now);
	}

	/** Return the number of permits that counts for a request that names one. */
	int limit(int requested) {
		return this.fixed ? this.permits : requested;
	}

	/** Return whether the lock is held or kept, or requests wait for it. */
	boolean isInUse(long now) {
		return isTaken(now) || !this.waiters.isEmpty();
	}

	/** Return whether an owner, reader or permit holds the lock, or it is kept. */
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

	/**
	 * Return the requests that have the lock until they end or it is taken from them,
	 * though their leases may have run out.
	 */
	List<RequestId> owners() {
		Stream<Register> alone = Stream.ofNullable(this.owner).filter(Register::isHeld);
		return Stream.concat(alone, this.registers.holders.stream()).map(Register::request).toList();
	}

	/** Return a lease, or time to keep the lock, that begins now. */
	Lifetime begin(long millis, long now) {
		return (millis > 0) ? new Lifetime(now + this.slack + millis, millis) : Lifetime.NONE;
	}

	/**
	 * Let owners whose leases have run out have the lock for some milliseconds more. A
	 * delay that is over does not begin anew.
	 */
	void spare(long millis, long now) {
		Lifetime longer = Lifetime.of(millis, now);
		if (this.owner != null && this.owner.isHeld() && !isClosed(now)) {
			this.owner = this.owner.with(longer);
			this.delay = 0;
		}
		List.copyOf(this.registers.holders)
			.stream()
			.filter((holder) -> !holder.lasts(now))
			.forEach((holder) -> this.registers.put(holder.with(longer)));
		live(now + millis, true);
	}

	/**
	 * Return whether a release has given the lock to a request that has yet to attempt,
	 * or to get other locks.
	 */
	boolean isReservedFor(RequestId request) {
		return isOwner(request) && this.kept.equals(Lifetime.TO_BEGIN);
	}

	/** Return whether a request is the owner and has not ended; its lease may be over. */
	boolean isHeldAlone(RequestId request) {
		return isOwner(request) && this.owner != null && this.owner.isHeld();
	}

	/**
	 * Return whether the owner has not ended, and no command noticed an expiry of its
	 * lease.
	 */
	boolean isUnnoticed() {
		return this.owner != null && this.owner.isHeld() && !this.owner.lifetime().equals(Lifetime.NONE);
	}

	/** Return whether the lock is a semaphore, or has readers or named waiters. */
	boolean isShared() {
		return this.permits > 0 || !this.registers.holders.isEmpty() || this.waiters.haveNames();
	}

	/**
	 * Return the register of the last request of the same contender. Of the owner, return
	 * its own register: a later request that was abandoned does not end it.
	 */
	@Nullable Register register(RequestId request, long now) {
		Register other = this.registers.of(request);
		Register alone = (this.owner != null && this.owner.request().isOfSameContender(request)) ? this.owner : null;
		boolean isLater = other != null && !isOwner(request) && (alone == null || other.isAfter(alone.request()));
		return (other != null && isLater) ? other.at(now + this.slack) : alone;
	}

	/**
	 * Return whether a request has no tombstone yet and can get one. It cannot while an
	 * earlier request of its contender reads or has a permit.
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
	 * Make a request the owner. The owner before becomes a tombstone, whose retention
	 * begins now.
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
		this.delay = 0;
	}

	/** End an owner whose lease ran out: its late release no longer counts. */
	void expireOwner() {
		if (this.owner != null) {
			this.owner = this.owner.expired();
		}
		this.kept = Lifetime.NONE;
	}

	/**
	 * Keep the state until a time plus the retention. If others share the lock, never
	 * make that time earlier.
	 */
	void live(long until, boolean shared) {
		long earliest = shared ? this.expireAt : Long.MIN_VALUE;
		this.expireAt = Math.max(this.fixed ? Lifetime.FOREVER : until + this.retention, earliest);
	}

}
