package io.distributedlock.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;

/**
 * What a lock table knows of one lock, for checks that need not trust its rules, and for
 * mistakes that are made on purpose.
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

	private boolean lasts(Lifetime lifetime) {
		return lifetime.deadline() > this.now && lifetime.longest() > 0;
	}

	public boolean isKnown() {
		return this.lock.expireAt >= this.now;
	}

	/** Who has it alone, or {@code null}. */
	public RequestId owner() {
		return (this.lock.owner != null && lasts(this.lock.owner.lifetime())) ? this.lock.owner.request() : null;
	}

	/** Whether no request has it alone; there may be readers. */
	public boolean isFree() {
		return owner() == null && !lasts(this.lock.kept);
	}

	/** Readers and permits. */
	public List<RequestId> sharers() {
		return lasting(this.lock.holders);
	}

	public Set<RequestId> fairWaiters() {
		return Set.copyOf(this.lock.waiters.fair.keySet());
	}

	/** Whether a request waits that wants it alone. */
	public boolean isWaitedForAlone() {
		return this.lock.waiters.instances.isLasting(this.now) || !lasting(this.lock.waiters.fair).isEmpty();
	}

	private List<RequestId> lasting(Map<RequestId, Entry> entries) {
		List<RequestId> lasting = new ArrayList<>(2);
		entries.forEach((request, entry) -> {
			if (lasts(entry.lifetime())) {
				lasting.add(request);
			}
		});
		return lasting;
	}

	/** Whether a request, which may have expired, passes its turn on to another one. */
	public boolean passes(RequestId request, RequestId successor) {
		return this.lock.owner != null && request.equals(this.lock.owner.request())
				&& !this.lock.tombstones.hasAbandoned(successor);
	}

	/** Do something as if there were neither readers nor permits. */
	public <T> T withoutSharers(Supplier<T> action) {
		Map<RequestId, Entry> hidden = Map.copyOf(this.lock.holders);
		this.lock.holders.clear();
		T result = action.get();
		this.lock.holders.putAll(hidden);
		return result;
	}

	public void forgetSharers() {
		this.lock.holders.clear();
	}

	public void losePlace(RequestId request) {
		this.lock.waiters.fair.remove(request);
	}

	/** The turn of readers lasts, also of those that have come. */
	public void neverEndPhase() {
		Lifetime endless = Lifetime.of(1_000_000, this.now);
		this.lock.waiters.admitted.replaceAll((request, entry) -> entry.with(endless));
		this.lock.holders.keySet()
			.forEach((request) -> this.lock.waiters.admitted.put(request, new Entry(request, endless, 0)));
		this.lock.queued |= !this.lock.waiters.admitted.isEmpty();
	}

}
