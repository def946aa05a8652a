package io.distributedlock.state;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RequestId;
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

	/** The request waits no more, nor does its instance unless by a later one. */
	void leave(RequestId request) {
		this.waiters.removeIf((waiter) -> waiter.instance.equals(request.instance()) && !waiter.isAfter(request));
	}

	/** At the end of the line, or renewed in its place. */
	void join(Waiter joining, long now) {
		String instance = joining.instance;
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
			this.waiters.add((place >= 0) ? place : ahead, joining);
		}
	}

	/** Whether the request comes first, and has a claim. */
	boolean isFirst(RequestId request) {
		Waiter first = first();
		return first != null && first.claim != null && first.claim.request.equals(request);
	}

	@Nullable Waiter first() {
		return this.waiters.isEmpty() ? null : this.waiters.get(0);
	}

	/**
	 * The first instance if it has a claim, when others come before it: its entry counts
	 * for a moment only, until it attempts again.
	 */
	@Nullable String passOver(long until) {
		Waiter first = first();
		if (first == null || first.claim == null) {
			return null;
		}
		this.waiters.set(0, new Waiter(first.instance, Math.min(first.until, until), first.woken, first.claim));
		return first.instance;
	}

	/** Behind all others. */
	void append(String instance, long until) {
		this.waiters.add(new Waiter(instance, until, false, null));
	}

	/** The first instance, which waits no more. */
	@Nullable String takeFirst() {
		return this.waiters.isEmpty() ? null : this.waiters.remove(0).instance;
	}

	/**
	 * The first instance that was not woken since its last attempt. If it has a claim, it
	 * waits no more. Else its entry stays, so that readers do not overtake it, but behind
	 * those of the others: one that is dead is not woken again and again in their stead.
	 * @param except how many at the end of the line are not meant
	 */
	@Nullable Waiter takeNext(int except) {
		for (int i = 0; i < this.waiters.size() - except; i++) {
			Waiter next = this.waiters.get(i);
			if (!next.woken) {
				this.waiters.remove(i);
				if (next.claim == null) {
					this.waiters.add(new Waiter(next.instance, next.until, true, null));
				}
				return next;
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
	 * @param claim what a release may give to it, or {@code null}
	 */
	record Waiter(String instance, long until, boolean woken, @Nullable Claim claim) {

		/** Whether it waits for a later request of the same contender. */
		private boolean isAfter(RequestId request) {
			return this.claim != null && this.claim.request.isOfSameContender(request)
					&& this.claim.request.number() > request.number();
		}

		boolean lasts(long now) {
			return WaitingInstances.lasts(this.until, now);
		}

	}

	/**
	 * What a release may give to an instance that waits.
	 *
	 * @param request the request that has the lock then
	 * @param millis for how long, until it is renewed
	 * @param highestToken the token that it gets is larger
	 */
	record Claim(RequestId request, long millis, long highestToken) {

		/** The claim that a request asks for, if it does. */
		static @Nullable Claim of(AcquireCommand command) {
			long millis = Lifetime.millis(command.claim());
			return (millis > 0) ? new Claim(command.request(), millis, command.highestToken()) : null;
		}

	}

}
