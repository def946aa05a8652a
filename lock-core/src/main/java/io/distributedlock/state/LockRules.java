package io.distributedlock.state;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.state.Register.Status;
import io.distributedlock.state.WaitingLine.Claim;
import io.distributedlock.state.WaitingLine.Waiter;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the lock modes: the obstacle of a request, and the waiters that come next
 * when a lock is free. Made for one lock and one command, and collects its wake-ups.
 */
final class LockRules {

	private final LockState lock;

	private final long micros;

	private final long now;

	private final List<WakeUp> wakeUps = new ArrayList<>(0);

	/** The instances of the readers that this command has admitted. */
	private List<String> admitted = List.of();

	LockRules(LockState lock, long micros) {
		this.lock = lock;
		this.micros = micros;
		this.now = Math.floorDiv(micros, 1000);
	}

	/** Return the wake-ups of this command, those of readers last. */
	List<WakeUp> wakeUps() {
		this.admitted.forEach(this::wake);
		this.admitted = List.of();
		return this.wakeUps;
	}

	/** Return the standing of a request at this lock. */
	Standing standing(AcquireCommand command) {
		Register last = this.lock.register(command.request(), this.now);
		if (last != null && !last.isBefore(command.request())) {
			if (last.isOf(command.request()) && last.lasts(this.now)) {
				return this.lock.isReservedFor(command.request()) ? Standing.RESERVED : Standing.HOLDER;
			}
			if (!command.retakes() || !last.isOf(command.request()) || last.status() == Status.REVOKED) {
				return Standing.ENDED;
			}
		}
		// A lock without a token and without fair waiters is of no kind.
		boolean isOfAKind = this.lock.token > 0 || !this.lock.waiters.fair.isEmpty();
		boolean differs = isOfAKind && this.lock.permits != command.permits() && this.lock.isInUse(this.now);
		if (this.lock.fixed ? command.permits() == 0 : differs) {
			return Standing.OTHER_KIND;
		}
		boolean isSemaphore = command.permits() > 0;
		return (isSemaphore && command.take() > this.lock.limit(command.permits())) ? Standing.TOO_LARGE : Standing.NEW;
	}

	/** Return the obstacle of a request, or {@code null} if it can take the lock. */
	@Nullable Obstacle obstacle(AcquireCommand command) {
		Register owner = this.lock.owner;
		Register last = this.lock.register(command.request(), this.now);
		if (last != null && last != owner && last.lasts(this.now)) {
			// An earlier request of the contender holds it: of another process of the
			// same image, or about to be released.
			return obstacle(last);
		}
		long kept = this.lock.kept.end(this.now);
		if (owner != null && this.lock.isClosed(this.now)) {
			long until = Math.max(this.lock.closedUntil(this.now), kept);
			if (!owner.lasts(this.now)) {
				return new Obstacle(until);
			}
			return owner.request().equals(command.beside()) ? null
					: new Obstacle(owner.request().instance(), until, !this.lock.isReservedFor(owner.request()));
		}
		if (this.lock.kept.lasts(this.now)) {
			return new Obstacle(kept);
		}
		return amongSharers(command);
	}

	private @Nullable Obstacle amongSharers(AcquireCommand command) {
		Registers registers = this.lock.registers;
		Waiters waiters = this.lock.waiters;
		return switch (command.mode()) {
			case SEMAPHORE -> withoutPermits(registers.taken + command.take() - this.lock.limit(command.permits()));
			case READ -> command.retakes() ? null : waiters.beforeReader(command.request(), this.now);
			default -> !registers.holders.isEmpty() ? obstacle(registers.holders.last())
					: command.retakes() ? null : waiters.beforeWriter(command.request());
		};
	}

	/**
	 * Return the holder with whose end as many permits are free as are missing, or
	 * {@code null} if none is.
	 */
	private @Nullable Obstacle withoutPermits(int missing) {
		for (Register holder : this.lock.registers.holders) {
			if (missing <= 0) {
				return null;
			}
			missing -= holder.permits();
			if (missing <= 0) {
				return obstacle(holder);
			}
		}
		return null;
	}

	private Obstacle obstacle(Register holder) {
		return new Obstacle(holder, holder.end(this.now));
	}

	/**
	 * Notice, once, that the lease of the owner or the kept time has run out. The readers
	 * that wait by then come next, as after a release.
	 */
	void noticeExpiry() {
		boolean unnoticed = this.lock.isUnnoticed();
		if (!this.lock.isFree(this.now) || !(unnoticed || !this.lock.kept.equals(Lifetime.NONE))) {
			return;
		}
		if (this.lock.waiters.areReadersNext(true)) {
			admitReaders();
			this.lock.expireOwner();
		}
		else if (unnoticed && this.lock.owner != null) {
			this.lock.owner = this.lock.owner.with(Lifetime.NONE);
			this.lock.delay = 0;
		}
		this.lock.kept = Lifetime.NONE;
	}

	/**
	 * Withdraw the admission of a reader, because another lock of its set is busy: it
	 * would only keep out waiters that can take this lock.
	 */
	void makeRoom(RequestId request) {
		if (this.lock.isFree(this.now) && this.lock.waiters.readers.admitted.remove(request)) {
			passOn(false, 0);
		}
	}

	/**
	 * Wake the waiters that come next, or give the lock to their claim. The lock has no
	 * owner any more.
	 * @param fromWriter {@code true} if readers that wait come before all others
	 * @param except number of waiters at the end of the line that are not woken
	 */
	void passOn(boolean fromWriter, int except) {
		Waiters waiters = this.lock.waiters;
		int holders = this.lock.registers.taken;
		boolean passesOver = fromWriter && this.lock.isShared();
		Waiter first = waiters.line.first();
		waiters.fair.prune(this.now);
		if (this.lock.permits > 0) {
			wake((holders < this.lock.permits) ? waiters.line.takeFirst() : null);
		}
		else if (waiters.areReadersNext(fromWriter)) {
			admitReaders();
		}
		else if (holders == 0 && waiters.readers.admitted.isEmpty()) {
			if (waiters.fair.isEmpty()) {
				serve(waiters.line.takeNext(except));
			}
			else {
				wake(waiters.fair.wakeHead());
			}
		}
		if (passesOver && waiters.line.first() == first) {
			// The first waiter knows that it is next, and attempts seldom.
			wake(waiters.line.passOver(this.now + WaitingReaders.PHASE));
		}
	}

	/**
	 * Wake the fair request whose turn it is, because another one has found the lock free
	 * and has to wait: the one before it may have died, or a message was lost.
	 * @return that request if it is of the same instance, which needs no message then
	 */
	@Nullable RequestId wakeNextFair(RequestId waiting) {
		FairQueue fair = this.lock.waiters.fair;
		Entry head = fair.head();
		boolean isFree = this.lock.isFree(this.now) && this.lock.registers.holders.isEmpty()
				&& this.lock.waiters.readers.admitted.isEmpty();
		if (!isFree || head == null || head.request().equals(waiting)) {
			return null;
		}
		boolean wasAsleep = fair.isHeadAsleep();
		RequestId next = fair.wakeHead();
		if (next.instance().equals(waiting.instance())) {
			return next;
		}
		if (wasAsleep) {
			wake(next);
		}
		return null;
	}

	private void serve(@Nullable Waiter next) {
		Claim claim = (next != null) ? next.claim() : null;
		if (next != null && claim != null) {
			give(next.request(), claim);
		}
		else if (next != null) {
			wake(next.request().instance());
		}
	}

	/**
	 * Make the request the owner, with the lease of its claim. A kept time begins later:
	 * a waiter that has died meanwhile keeps nothing. If the request wants more locks,
	 * this one is reserved until it has all of them.
	 */
	private void give(RequestId request, Claim claim) {
		long token = Math.max(this.micros, Math.max(this.lock.token, claim.highestToken()) + 1);
		this.lock.own(Register.held(request, this.lock.begin(claim.millis(), this.now), token, 1), this.now);
		this.lock.kept = claim.keeps() ? Lifetime.TO_BEGIN : Lifetime.NONE;
		this.lock.token = token;
		this.lock.live(this.now + claim.millis(), true);
		this.wakeUps.add(new WakeUp(this.lock.key, request.instance(), request, token));
	}

	/** Notify the instance of a request that it does not have the lock any more. */
	void revoke(RequestId request) {
		this.wakeUps.add(new WakeUp(this.lock.key, request.instance(), request, WakeUp.REVOKED));
	}

	private void admitReaders() {
		this.admitted = this.lock.waiters.readers.admit(this.now);
	}

	private void wake(@Nullable String instance) {
		if (instance != null) {
			this.wakeUps.add(new WakeUp(this.lock.key, instance, null));
		}
	}

	private void wake(RequestId request) {
		this.wakeUps.add(new WakeUp(this.lock.key, request.instance(), request));
	}

	/** The relation of a request to a lock. */
	enum Standing {

		/** The request holds the lock. */
		HOLDER,

		/** A release has given it the lock, and it has not attempted since. */
		RESERVED,

		/** It has ended, or another request of its contender is later than it. */
		ENDED,

		/** The lock is in use as one of another kind. */
		OTHER_KIND,

		/** It wants more permits than there are for all requests. */
		TOO_LARGE,

		/** None of these. */
		NEW

	}

}
