package io.distributedlock.state;

import io.distributedlock.LockMode;
import io.distributedlock.state.Register.Status;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Applies one command to one lock.
 */
final class LockChange {

	final LockState lock;

	final LockRules rules;

	private final long now;

	LockChange(LockState lock, long micros) {
		this.lock = lock;
		this.rules = new LockRules(lock, micros);
		this.now = Math.floorDiv(micros, 1000);
	}

	/**
	 * Lengthen the lease of a holder that attempts again; never shorten it. A command
	 * that retakes clears the mark, so that the next renewal is applied with any marks.
	 * Only an owner may get a new token.
	 */
	void lengthen(AcquireCommand command, long token) {
		Register held = held(command.request());
		lengthen(command.retakes() ? held.with("") : held, Lifetime.millis(command.ttl()), isShared(command));
		if (this.lock.isOwner(command.request())) {
			if (this.lock.isReservedFor(command.request())) {
				this.lock.kept = this.lock.begin(Lifetime.millis(command.keepFor()), this.now);
				this.lock.delay = Lifetime.millis(command.lockDelay());
				this.lock.live(Math.max(this.lock.closedUntil(this.now), this.lock.kept.end(this.now)), true);
			}
			reserve(command, token);
		}
	}

	boolean isReserved(AcquireCommand command) {
		return this.lock.isReservedFor(command.request()) && this.lock.isHeldBy(command.request(), this.now);
	}

	/**
	 * Handle a lock of a set whose request waits for another one: keep it reserved, or
	 * pass it on. If it is not reserved, the request does not wait for it either: a
	 * release would give it the lock only to be passed on.
	 */
	void keepReserved(AcquireCommand command, boolean stays) {
		RequestId request = command.request();
		if (!isReserved(command)) {
			if (!command.claim().isZero()) {
				this.lock.waiters.line.leave(request);
			}
		}
		else if (stays) {
			lengthen(held(request), Lifetime.millis(command.ttl()), true);
		}
		else {
			// The request has not ended, only those before it have.
			this.lock.owner = Register.ended(before(request), Status.GONE, this.now);
			this.lock.kept = Lifetime.NONE;
			this.lock.live(this.now, true);
			this.rules.passOn(true, 0);
		}
	}

	/** Return a request of the same contender with the number before. */
	private static RequestId before(RequestId request) {
		return RequestId.of(request.instanceBits(), request.place(), Math.max(request.number() - 1, 0), -1);
	}

	/** Return the token of a request that has the lock. */
	long tokenOf(RequestId request) {
		return this.lock.isOwner(request) ? this.lock.token : held(request).token();
	}

	private Register held(RequestId request) {
		Register held = this.lock.register(request, this.now);
		if (held == null) {
			throw new IllegalStateException(request + " does not hold " + this.lock.key);
		}
		return held;
	}

	Ownership renew(RenewCommand command) {
		Register held = this.lock.register(command.request(), this.now);
		Ownership ownership = ownership(held, command.request(), command.marks());
		if (held != null && ownership == Ownership.HELD) {
			boolean stays = command.marks().equals(RenewalMarks.ANY);
			lengthen(stays ? held : held.with(command.marks().newest()), Lifetime.millis(command.ttl()),
					this.lock.isShared());
		}
		return ownership;
	}

	/** Set the lease of a holder anew, unless this is a copy of the command. */
	Ownership extend(ExtendCommand command) {
		Register held = this.lock.register(command.request(), this.now);
		Ownership ownership = ownership(held, command.request(), command.marks());
		String mark = command.marks().newest();
		if (held != null && ownership == Ownership.HELD && !held.mark().equals(mark)) {
			if (command.keepFor() != null && this.lock.isOwner(command.request())) {
				this.lock.kept = this.lock.begin(Lifetime.millis(command.keepFor()), this.now);
			}
			lease(held.with(mark).with(this.lock.begin(Lifetime.millis(command.ttl()), this.now)),
					this.lock.isShared());
		}
		return ownership;
	}

	private Ownership ownership(@Nullable Register last, RequestId request, RenewalMarks marks) {
		return (last != null) ? last.ownership(request, marks, this.now) : Ownership.LOST;
	}

	private void lengthen(Register held, long ttl, boolean shared) {
		lease(held.with(held.lifetime().lengthened(ttl, this.now, this.lock.slack)), shared);
	}

	private void lease(Register held, boolean shared) {
		this.lock.write(held);
		long closed = held.end(this.now) + (this.lock.isOwner(held.request()) ? this.lock.delay : 0);
		this.lock.live(Math.max(closed, this.lock.kept.end(this.now)), shared);
	}

	private boolean isShared(AcquireCommand command) {
		return command.mode() != LockMode.EXCLUSIVE || this.lock.isShared();
	}

	void take(AcquireCommand command, long token) {
		boolean shared = isShared(command);
		this.lock.waiters.remove(command.request());
		long ttl = Lifetime.millis(command.ttl());
		long keepFor = Lifetime.millis(command.keepFor());
		long delay = Lifetime.millis(command.lockDelay());
		Register taken = Register.held(command.request(), this.lock.begin(ttl, this.now), token, command.take());
		if (command.mode().isExclusive()) {
			this.lock.own(taken, this.now);
			this.lock.kept = this.lock.begin(keepFor, this.now);
			this.lock.delay = delay;
		}
		else {
			if (this.lock.isFree(this.now)) {
				this.lock.expireOwner();
			}
			this.lock.registers.put(taken);
		}
		reserve(command, token);
		if (Waiters.waitsInLine(command)) {
			this.lock.waiters.line.leave(command.request());
		}
		this.lock.permits = this.lock.limit(command.permits());
		this.lock.live(this.now + Math.max(ttl + delay, keepFor), shared);
	}

	/** Reserve the token of a request and its spare tokens: the next one is larger. */
	private void reserve(AcquireCommand command, long token) {
		this.lock.token = Math.max(this.lock.token, token + command.spareTokens());
	}

	/**
	 * Leave the waiter entry of a request.
	 * @param inPlace {@code true} if a fair request keeps its position in line
	 */
	void queue(AcquireCommand command, boolean inPlace) {
		this.lock.waiters.add(command, inPlace, this.lock.isShared(), this.now, this.lock.retention);
		if (command.mode() == LockMode.FAIR) {
			this.lock.permits = 0;
		}
		if (!Waiters.waitsInLine(command)) {
			this.lock.live(this.now + Lifetime.millis(command.waiting()), true);
		}
	}

	/**
	 * Return whether the next release gives the lock to the claim of this request, or
	 * this is a fair request that is woken when its turn comes.
	 * @param inPlace {@code true} if a fair request was in line already
	 */
	boolean isNext(AcquireCommand command, boolean inPlace) {
		if (command.mode() == LockMode.FAIR) {
			return inPlace && !command.waiting().isZero() && !command.claim().isZero();
		}
		return !command.waiting().isZero() && this.lock.waiters.line.isFirst(command.request()) && !this.lock.isShared()
				&& !this.lock.kept.lasts(this.now) && !this.lock.isDelayed(this.now);
	}

	/**
	 * Release the lock.
	 * @return held also if the request has released it before, or a later one of its
	 * contender is gone. An owner may be late, as long as no request took the lock after
	 * it
	 */
	Ownership release(ReleaseCommand command) {
		RequestId request = command.request();
		Register last = this.lock.register(request, this.now);
		if (last != null && isOver(last, request)) {
			return Ownership.HELD;
		}
		Ownership ownership = ownership(last, request, command.marks());
		boolean late = ownership == Ownership.EXPIRED && this.lock.isHeldAlone(request);
		if (last == null || !(ownership == Ownership.HELD || late)) {
			return ownership;
		}
		if (late && this.lock.isDelayed(this.now)) {
			// Writes that it sent before it lost its lease may still be on their way.
			return Ownership.HELD;
		}
		boolean alone = this.lock.isOwner(request);
		boolean unnoticed = this.lock.isUnnoticed();
		this.lock.write(last.ended(Status.RELEASED, this.now));
		if (command.marks().equals(RenewalMarks.ANY)) {
			this.rules.revoke(request);
		}
		if (alone) {
			ownerReleased(unnoticed);
		}
		else {
			holderReleased(last.permits());
		}
		return Ownership.HELD;
	}

	/**
	 * Return whether the request needs no release any more. A later request that has or
	 * had the lock does not count: it may come from another process with the same
	 * identity.
	 */
	private static boolean isOver(Register last, RequestId request) {
		return last.isOf(request) ? last.status() == Status.RELEASED
				: last.isAfter(request) && last.status() == Status.GONE;
	}

	private void ownerReleased(boolean unnoticed) {
		this.lock.live(Math.max(this.lock.kept.end(this.now), this.now), this.lock.isShared());
		if (!this.lock.kept.lasts(this.now)) {
			this.lock.kept = Lifetime.NONE;
			this.rules.passOn(unnoticed, 0);
		}
	}

	private void holderReleased(int permits) {
		this.lock.live(this.now, true);
		for (int i = 0; i < permits && this.lock.isFree(this.now); i++) {
			this.rules.passOn(false, 0);
		}
	}

	/**
	 * End a request.
	 * @return {@code true} if it had the lock
	 */
	boolean abandon(AbandonCommand command) {
		RequestId request = command.request();
		RequestId successor = command.successor();
		Waiters waiters = this.lock.waiters;
		long waiting = Lifetime.millis(command.waiting());
		boolean owned = this.lock.isHeldAlone(request);
		boolean unnoticed = owned && this.lock.isUnnoticed();
		boolean passes = successor != null && passes(request, successor);
		int permits = owned ? 1 : permits(request);
		boolean held = end(request);
		boolean named = waiters.remove(request) || (held && !owned);
		this.lock.live(this.now + waiting, !owned || this.lock.isShared());
		boolean stays = waiting > 0 && successor == null;
		if (!named) {
			// Readers and fair requests have no entry in the line.
			waiters.line.leaveUnlessLater(request);
		}
		if (stays) {
			waiters.line.leave(request);
			waiters.line.append(request, this.now + waiting);
		}
		if (successor != null && passes) {
			// The successor is next, so no other waiter is woken.
			waiters.fair.addFirst(successor, this.now + waiting);
		}
		else {
			for (int i = 0; i < permits && this.lock.isFree(this.now); i++) {
				this.rules.passOn(unnoticed && !stays, stays ? 1 : 0);
			}
		}
		return held;
	}

	/** Return the number of permits that a request has, or 1 if it has none. */
	private int permits(RequestId request) {
		Register last = this.lock.register(request, this.now);
		return (last != null && last.isOf(request) && last.isHeld()) ? last.permits() : 1;
	}

	/**
	 * Set the number of permits for all requests, and wake waiters for those that are
	 * new.
	 * @param number the number, or zero to remove it
	 * @return {@code false} if the lock is in use and no semaphore
	 */
	boolean setPermits(int number) {
		int more = Math.min(number - this.lock.permits, this.lock.waiters.line.waiters.size());
		boolean done = this.lock.setPermits(number, this.now);
		for (int i = 0; i < more && done; i++) {
			this.rules.passOn(false, 0);
		}
		return done;
	}

	/** Return whether an owner gives its turn to a successor that has not ended. */
	boolean passes(RequestId request, RequestId successor) {
		Register last = this.lock.register(successor, this.now);
		return this.lock.isHeldAlone(request)
				&& (last == null || last.isBefore(successor) || (last.isOf(successor) && last.isHeld()));
	}

	/**
	 * Leave the tombstone of a request, unless an earlier one of its contender reads or
	 * has a permit.
	 * @return {@code true} if it held the lock
	 */
	private boolean end(RequestId request) {
		Register last = this.lock.register(request, this.now);
		boolean held = last != null && last.isOf(request) && last.isHeld();
		if (held && this.lock.isOwner(request)) {
			// An abandoned owner has run nothing, so the lock is not kept either.
			this.lock.kept = Lifetime.NONE;
		}
		if (held) {
			this.lock.write(Register.ended(request, Status.GONE, this.now));
		}
		else if (this.lock.isNew(request, this.now)) {
			this.lock.registers.put(Register.ended(request, Status.GONE, this.now));
		}
		return held;
	}

	/**
	 * Raise the last token, and the token of a reader or permit, to at least this one.
	 */
	void raise(RaiseCommand command) {
		this.lock.token = Math.max(this.lock.token, command.token());
		Register held = this.lock.register(command.request(), this.now);
		if (held != null && !this.lock.isOwner(command.request()) && held.token() < command.token()) {
			this.lock.registers.put(held.with(command.token()));
		}
	}

}
