package io.distributedlock.state;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The instances that wait for a lock in no order of their requests: for an exclusive one,
 * or for a permit. Each entry counts for a time only, so that nothing waits for a dead
 * instance. Not thread-safe.
 */
final class WaitingInstances {

	private static final int MOST = 64;

	/** Three of the longest polls: if an entry is to last longer, the clock went back. */
	private static final long LONGEST = 60_000;

	/** First come first. */
	final List<Waiter> waiters = new ArrayList<>(0);

	/** Whether an entry counts that ends then. */
	static boolean lasts(long until, long now) {
		return until > now && until - now <= LONGEST;
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	boolean isLasting(long now) {
		return this.waiters.stream().anyMatch((waiter) -> waiter.lasts(now));
	}

	/** The end of the entry that lasts longest, or zero. */
	long end(long now) {
		return this.waiters.stream().filter((waiter) -> waiter.lasts(now)).mapToLong(Waiter::until).max().orElse(0);
	}

	void prune(long now) {
		this.waiters.removeIf((waiter) -> !waiter.lasts(now));
	}

	/** The instance waits no more. */
	void leave(String instance) {
		this.waiters.removeIf((waiter) -> waiter.instance.equals(instance));
	}

	/** At the end of the line, or renewed in its place. */
	void join(String instance, long until, long now) {
		int place = -1;
		int ahead = 0;
		for (Waiter waiter : this.waiters) {
			if (waiter.instance.equals(instance)) {
				place = ahead;
			}
			else if (waiter.lasts(now)) {
				ahead++;
			}
		}
		if (place >= 0 || ahead < MOST) {
			leave(instance);
			prune(now);
			this.waiters.add((place >= 0) ? place : ahead, new Waiter(instance, until, false));
		}
	}

	/** Behind all others. */
	void append(String instance, long until) {
		this.waiters.add(new Waiter(instance, until, false));
	}

	/** The first instance, which waits no more. */
	@Nullable String takeFirst() {
		return this.waiters.isEmpty() ? null : this.waiters.remove(0).instance;
	}

	/**
	 * The first instance that was not woken since its last attempt. Its entry stays, so
	 * that readers do not overtake it, but behind those of the others: one that is dead
	 * is not woken again and again in their stead.
	 * @param except how many at the end of the line are not meant
	 */
	@Nullable String wakeNext(int except) {
		for (int i = 0; i < this.waiters.size() - except; i++) {
			Waiter next = this.waiters.get(i);
			if (!next.woken) {
				this.waiters.remove(i);
				this.waiters.add(new Waiter(next.instance, next.until, true));
				return next.instance;
			}
		}
		return null;
	}

	/**
	 * The waiter entry of an instance.
	 *
	 * @param instance the instance
	 * @param until how long that counts
	 * @param woken whether it was woken since its last attempt
	 */
	record Waiter(String instance, long until, boolean woken) {

		private boolean lasts(long now) {
			return WaitingInstances.lasts(this.until, now);
		}

	}

}
