package io.distributedlock.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;

/**
 * The state of one lock in a lock table, for checks that need not trust its rules, and
 * for mistakes that are made on purpose.
 */
public final class OpenLock {

	private final LockState lock;

	private final long now;

	private OpenLock(LockState lock, long now) {
		this.lock = lock;
		this.now = now;
	}

	/** A lock that is not known is a new one. */
	public static OpenLock of(LockTable table, LockKey key, long micros) {
		return new OpenLock(table.lock(key, micros / 1000), micros / 1000);
	}

	/** Keep all locks as a back end does that keeps texts. */
	public static void rewrite(LockTable table, List<LockKey> keys, long micros) {
		for (LockKey key : keys) {
			LockState lock = table.lock(key, micros / 1000);
			if (!lock.isForgotten(micros / 1000)) {
				table.put(LockStateText.read(key, lock.retention, LockStateText.write(lock)));
			}
		}
	}

	/** Copy the state of a lock from one table to another. */
	public static void copy(LockTable from, LockTable to, LockKey key, long micros) {
		LockState lock = from.lock(key, micros / 1000);
		if (!lock.isForgotten(micros / 1000)) {
			to.put(LockStateText.read(key, lock.retention, LockStateText.write(lock)));
		}
	}

	public boolean isKnown() {
		return this.lock.expireAt >= this.now;
	}

	/** Who has it alone, or {@code null}. */
	public RequestId owner() {
		return (this.lock.owner != null && this.lock.owner.lasts(this.now)) ? this.lock.owner.request() : null;
	}

	/**
	 * Return whether no request has the lock alone, and it is open; there may be readers.
	 */
	public boolean isFree() {
		return this.lock.isFree(this.now);
	}

	/** Number of readers, or of permits that are taken. */
	public int taken() {
		return this.lock.registers.taken;
	}

	/** Number of permits that counts for requests that name another one. */
	public int limit(int requested) {
		return this.lock.limit(requested);
	}

	/** Readers and permits. */
	public List<RequestId> sharers() {
		return new ArrayList<>(this.lock.registers.all()
			.stream()
			.filter((register) -> register.lasts(this.now))
			.map(Register::request)
			.toList());
	}

	public Set<RequestId> fairWaiters() {
		return this.lock.waiters.fair.byTicket.values()
			.stream()
			.map(FairQueue.Place::request)
			.collect(Collectors.toSet());
	}

	/** Return whether a request waits that wants the lock alone. */
	public boolean isWaitedForAlone() {
		return this.lock.waiters.line.isLasting(this.now) || this.lock.waiters.fair.count(this.now) > 0;
	}

	/** Return whether a request, which may have expired, passes its turn to another. */
	public boolean passes(RequestId request, RequestId successor) {
		return new LockChange(this.lock, this.now * 1000).passes(request, successor);
	}

	/** Return whether an earlier request of the same contender reads, or has a permit. */
	public boolean isSharedBefore(RequestId request) {
		return sharers().stream()
			.anyMatch((sharer) -> sharer.isOfSameContender(request) && sharer.number() < request.number());
	}

	/** Do something as if there were neither readers nor permits. */
	public <T> T withoutSharers(Supplier<T> action) {
		List<Register> hidden = List.copyOf(this.lock.registers.holders);
		int taken = this.lock.registers.taken;
		this.lock.registers.holders.clear();
		this.lock.registers.taken = 0;
		T result = action.get();
		this.lock.registers.taken = taken;
		this.lock.registers.holders.addAll(hidden);
		return result;
	}

	public void forgetSharers() {
		List.copyOf(this.lock.registers.holders).forEach((holder) -> this.lock.registers.remove(holder.request()));
	}

	/** It stays closed, although its owner has released it. */
	public void close() {
		this.lock.kept = Lifetime.of(this.lock.delay, this.now);
	}

	public void losePlace(RequestId request) {
		this.lock.waiters.fair.remove(request);
	}

	/** The turn of readers lasts, also of those that have come. */
	public void neverEndPhase() {
		WaitingReaders readers = this.lock.waiters.readers;
		this.lock.registers.holders.forEach((holder) -> readers.admitted.add(holder.request()));
		if (!readers.admitted.isEmpty()) {
			readers.phase = Lifetime.of(1_000_000, this.now);
		}
	}

}
