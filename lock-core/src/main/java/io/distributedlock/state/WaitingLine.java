package io.distributedlock.state;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The line of requests that wait for an exclusive lock or for a permit, one of each
 * contender. Each entry expires, so that a dead instance blocks no waiter. Not
 * thread-safe.
 */
final class WaitingLine {

	private static final int MOST = 512;

	/** The most of a lock that others share: each command reads all of them. */
	private static final int MOST_OF_SHARED = 64;

	/**
	 * Three of the longest polls, in milliseconds. An entry with a later end does not
	 * count: the clock went back.
	 */
	private static final long LONGEST = 60_000;

	/** The line, in the order of arrival; woken waiters move to its end. */
	final List<Waiter> waiters = new ArrayList<>(0);

	/** Return whether an entry with this end counts. */
	static boolean lasts(long until, long now) {
		return until > now && until - now <= LONGEST;
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	boolean isLasting(long now) {
		return this.waiters.stream().anyMatch((waiter) -> waiter.lasts(now));
	}

	/** Return the latest end of an entry that counts, or zero. */
	long end(long now) {
		return this.waiters.stream().filter((waiter) -> waiter.lasts(now)).mapToLong(Waiter::until).max().orElse(0);
	}

	void prune(long now) {
		this.waiters.removeIf((waiter) -> !waiter.lasts(now));
	}

	/** Remove the entry of the contender of a request. */
	void leave(RequestId request) {
		this.waiters.removeIf((waiter) -> waiter.request.isOfSameContender(request));
	}

	/**
	 * Remove the entry of the contender of a request, unless it is of a later request.
	 */
	void leaveUnlessLater(RequestId request) {
		this.waiters.removeIf(
				(waiter) -> waiter.request.isOfSameContender(request) && waiter.request.number() <= request.number());
	}

	/**
	 * Add a waiter at the end of the line, unless it is full, or renew the entry of its
	 * contender there.
	 */
	void join(Waiter joining, boolean shared, long now) {
		int place = -1;
		int ahead = 0;
		for (Waiter waiter : this.waiters) {
			if (waiter.request.isOfSameContender(joining.request)) {
				place = ahead;
			}
			else if (waiter.lasts(now)) {
				ahead++;
			}
		}
		if (place >= 0 || ahead < (shared ? MOST_OF_SHARED : MOST)) {
			leave(joining.request);
			prune(now);
			this.waiters.add((place >= 0) ? place : ahead, joining);
		}
	}

	/** Return whether the first entry has the claim of a request. */
	boolean isFirst(RequestId request) {
		Waiter first = first();
		return first != null && first.claim != null && first.request.equals(request);
	}

	@Nullable Waiter first() {
		return this.waiters.isEmpty() ? null : this.waiters.get(0);
	}

	/**
	 * Pass over the first waiter, which could have taken a claim, because another one
	 * gets the lock. Its entry ends early, so that it attempts again soon.
	 * @return its instance, or {@code null} if the first one has no claim
	 */
	@Nullable String passOver(long until) {
		Waiter first = first();
		if (first == null || first.claim == null) {
			return null;
		}
		this.waiters.set(0, new Waiter(first.request, Math.min(first.until, until), first.woken, first.claim));
		return first.request.instance();
	}

	/** Add a waiter without a claim behind all others. */
	void append(RequestId request, long until) {
		this.waiters.add(new Waiter(request, until, false, null));
	}

	/** Remove the first waiter, and return its instance. */
	@Nullable String takeFirst() {
		return this.waiters.isEmpty() ? null : this.waiters.remove(0).request.instance();
	}

	/**
	 * Take the first waiter that was not woken since its last attempt. If it has a claim,
	 * its entry is removed. Otherwise its entry moves to the end of the line: readers do
	 * not overtake it, and a dead instance is not woken again and again.
	 * @param except number of waiters at the end of the line to leave out
	 */
	@Nullable Waiter takeNext(int except) {
		for (int i = 0; i < this.waiters.size() - except; i++) {
			Waiter next = this.waiters.get(i);
			if (!next.woken) {
				this.waiters.remove(i);
				if (next.claim == null) {
					this.waiters.add(new Waiter(next.request, next.until, true, null));
				}
				return next;
			}
		}
		return null;
	}

	/**
	 * The waiter entry of a contender.
	 *
	 * @param request the request that left it
	 * @param until the end of the entry, in milliseconds
	 * @param woken {@code true} if it was woken since its last attempt
	 * @param claim the claim that a release may grant, or {@code null}
	 */
	record Waiter(RequestId request, long until, boolean woken, @Nullable Claim claim) {

		boolean lasts(long now) {
			return WaitingLine.lasts(this.until, now);
		}

	}

	/**
	 * A grant that a release may give to a request that waits.
	 *
	 * @param millis its lease
	 * @param keeps {@code true} if the request has to attempt again: it keeps the lock
	 * for a time, or wants more locks
	 * @param highestToken a token that the new one is larger than
	 */
	record Claim(long millis, boolean keeps, long highestToken) {

		/** Return the claim of an attempt, or {@code null} if it names none. */
		static @Nullable Claim of(AcquireCommand command) {
			long millis = Lifetime.millis(command.claim());
			boolean stays = !command.keepFor().isZero() || !command.lockDelay().isZero();
			boolean keeps = stays || command.keys().size() > 1;
			return (millis > 0) ? new Claim(millis, keeps, command.highestToken()) : null;
		}

	}

}
