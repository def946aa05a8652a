package io.distributedlock.state;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.RequestId;

/**
 * An attempt to take one lock, or several all or none. Decides for all locks before it
 * takes any.
 */
final class Decision {

	private final List<LockChange> locks;

	private final AcquireCommand command;

	private final long micros;

	private final long now;

	/** {@code true} if a fair request was in line for all locks already. */
	private boolean inPlace;

	Decision(List<LockChange> locks, AcquireCommand command, long micros) {
		this.locks = locks;
		this.command = command;
		this.micros = micros;
		this.now = Math.floorDiv(micros, 1000);
	}

	/**
	 * Take the locks if none has an obstacle.
	 * @throws LockStoreException if another kind of lock is in use under a key
	 */
	AcquireOutcome run() {
		int held = 0;
		int reserved = 0;
		boolean ended = false;
		for (int i = 0; i < this.locks.size(); i++) {
			switch (this.locks.get(i).rules.standing(this.command)) {
				case HOLDER -> held++;
				case RESERVED -> reserved++;
				case ENDED -> ended = true;
				case OTHER_KIND -> throw otherKind(i);
				case TOO_LARGE -> throw tooLarge(i);
				case NEW -> {
				}
			}
		}
		int all = this.locks.size();
		if (ended || (held > 0 && held < all)) {
			return AcquireOutcome.Refused.INSTANCE;
		}
		return (held == all || (reserved == 1 && all == 1)) ? lengthen() : decide();
	}

	private LockStoreException otherKind(int index) {
		return new LockStoreException(Kind.MISCONFIGURED,
				"Cannot acquire '" + this.command.keys().get(index) + "' as " + describe(this.command.permits()) + ": "
						+ describe(this.locks.get(index).lock.permits)
						+ " lives under this key. Use one kind of lock and one number of permits for a key, "
						+ "or give one of the two a name of its own"
						+ (this.locks.get(index).lock.fixed ? ". setPermits(…, 0) removes its number" : ""),
				null);
	}

	private LockStoreException tooLarge(int index) {
		return new LockStoreException(Kind.MISCONFIGURED,
				"Cannot acquire %d permits of '%s': setPermits has set its number to %d. Take fewer, or set a larger number"
					.formatted(this.command.take(), this.command.keys().get(index), this.locks.get(index).lock.permits),
				null);
	}

	private static String describe(int permits) {
		return (permits > 0) ? "a semaphore of " + permits + " permits" : "a lock that is no semaphore";
	}

	private AcquireOutcome lengthen() {
		// A new token: the callers of the spare tokens may have asked after the request
		// got the lock by a claim.
		long token = (this.command.spareTokens() > 0) ? token() : this.locks.get(0).tokenOf(this.command.request());
		this.locks.forEach((change) -> change.lengthen(this.command, token));
		return new AcquireOutcome.Granted(token);
	}

	private AcquireOutcome decide() {
		this.locks.forEach((change) -> change.rules.noticeExpiry());
		for (int i = 0; i < this.locks.size(); i++) {
			LockChange change = this.locks.get(i);
			Obstacle obstacle = change.isReserved(this.command) ? null : change.rules.obstacle(this.command);
			if (obstacle != null) {
				queue(i, obstacle.leaves() && !this.command.claim().isZero());
				boolean listens = this.command.mode() == LockMode.FAIR && !this.command.claim().isZero();
				RequestId ahead = listens ? change.rules.wakeNextFair(this.command.request()) : null;
				return new AcquireOutcome.Busy(obstacle.holder(), Duration.ofMillis(obstacle.until() - this.now), i,
						false, change.isNext(this.command, this.inPlace),
						this.inPlace ? change.lock.waiters.fair.since(this.command.request()) : 0, ahead);
			}
		}
		long token = token();
		this.locks.forEach((change) -> change.take(this.command, token));
		boolean contended = this.command.mode() == LockMode.EXCLUSIVE
				&& this.locks.stream().anyMatch((change) -> change.lock.waiters.line.isLasting(this.now));
		return new AcquireOutcome.Granted(token, contended);
	}

	/**
	 * Leave waiter entries. A fair request enters the lines of all its locks at once,
	 * even if only one is busy. Otherwise two requests could block each other for ever,
	 * each first in one line. An exclusive request waits in one line. What was reserved
	 * for it before that lock may stay, and the rest is passed on.
	 */
	private void queue(int busy, boolean stays) {
		boolean fair = this.command.mode() == LockMode.FAIR;
		boolean waits = !this.command.waiting().isZero();
		this.inPlace = this.locks.stream()
			.allMatch((change) -> change.lock.waiters.fair.hasPlace(this.command.request(), this.now));
		for (int i = 0; i < this.locks.size(); i++) {
			LockChange change = this.locks.get(i);
			if (i != busy) {
				change.rules.makeRoom(this.command.request());
				change.keepReserved(this.command, stays && i < busy);
			}
			if (waits && (fair || i == busy)) {
				change.queue(this.command, this.inPlace);
			}
		}
	}

	/**
	 * Return a token larger than the last one of each lock. A reader takes the largest
	 * last token as it is, unless a lock has none yet.
	 */
	private long token() {
		boolean raise = this.command.mode() != LockMode.READ;
		long last = 0;
		for (LockChange change : this.locks) {
			raise |= change.lock.token == 0;
			last = Math.max(last, change.lock.token);
		}
		return raise ? Math.max(this.micros, Math.max(this.command.highestToken(), last) + 1) : last;
	}

}
