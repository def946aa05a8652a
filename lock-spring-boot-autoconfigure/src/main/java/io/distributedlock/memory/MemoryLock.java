package io.distributedlock.memory;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * One lock. Not thread-safe.
 */
final class MemoryLock {

	/** When nothing of this lock needs to be known any more. */
	long forgetAt;

	private @Nullable RequestId owner;

	/** That of the last renewal by the owner. */
	private @Nullable String mark;

	private long token;

	private long deadline;

	private long keptUntil;

	private @Nullable RequestId keeper;

	/**
	 * Somebody had the lock for itself, and the readers that waited have not had it
	 * since.
	 */
	private boolean turnOfReaders;

	private boolean semaphore;

	private int permits;

	private final MemoryHolders holders = new MemoryHolders();

	private final MemoryLine line = new MemoryLine();

	private final MemoryEnded ended = new MemoryEnded();

	/** Let time pass. Readers that waited for an owner whose lease ran out are next. */
	void catchUp(long now, List<MemoryWakeUp> wakeUps) {
		if (this.owner != null && this.deadline <= now) {
			this.ended.addAbandoned(this.owner);
			this.owner = null;
		}
		this.holders.prune(now, this.ended);
		this.line.prune(now);
		if (this.turnOfReaders && !isTaken(now) && this.line.hasReaders()) {
			letReadersIn(now, wakeUps);
		}
	}

	/** Whether it is in use as something else than is asked for. */
	private boolean isOfOtherKind(AcquireCommand command, long now) {
		boolean differs = (command.mode() == LockMode.SEMAPHORE) ? !this.semaphore || command.permits() != this.permits
				: this.semaphore;
		return differs && (isTaken(now) || !this.holders.isEmpty() || !this.line.isEmpty());
	}

	/** How many may hold it at once if it is a semaphore, else zero. */
	int permits() {
		return this.semaphore ? this.permits : 0;
	}

	/** What a request is to this lock. */
	Standing standing(AcquireCommand command, MemoryEntry entry, long now) {
		RequestId request = command.request();
		if (request.equals(this.owner) || this.holders.has(request)) {
			return Standing.OWNER;
		}
		if (entry != MemoryEntry.CLAIM_AGAIN && this.ended.has(request)) {
			return Standing.ENDED;
		}
		if (isOfOtherKind(command, now)) {
			return Standing.OTHER_KIND;
		}
		return (entry == MemoryEntry.STAND_IN_LINE || obstacle(command, entry, now) != null) ? Standing.LATE
				: Standing.FIRST;
	}

	/** What stands in the way of a request, if anything does. */
	@Nullable MemoryObstacle obstacle(AcquireCommand command, MemoryEntry entry, long now) {
		if (this.owner != null) {
			return this.owner.equals(command.beside()) ? null
					: new MemoryObstacle(this.owner.instance(), Math.max(this.deadline, this.keptUntil));
		}
		if (this.keptUntil > now) {
			return new MemoryObstacle("", this.keptUntil);
		}
		return switch (command.mode()) {
			case SEMAPHORE -> (this.holders.count() < command.permits()) ? null : this.holders.first();
			case READ -> entry.isClaim() ? null : this.line.beforeReader(command.request());
			default -> !this.holders.isEmpty() ? this.holders.last()
					: entry.isClaim() ? null : this.line.beforeWriter(command.request());
		};
	}

	/** What holds by the word of others may have missed renewals here. */
	void claimedBy(MemoryEntry entry, RequestId owner) {
		if (entry == MemoryEntry.CLAIM_AGAIN) {
			mark(owner, null);
		}
	}

	private void mark(RequestId holder, @Nullable String newest) {
		if (!this.holders.mark(holder, newest)) {
			this.mark = newest;
		}
	}

	private @Nullable String mark(RequestId holder) {
		return this.holders.has(holder) ? this.holders.mark(holder) : this.mark;
	}

	/** Repeat what made the request an owner; what it was given. */
	long lengthen(AcquireCommand command, long now) {
		long until = now + command.ttl().toNanos();
		if (this.holders.lengthen(command.request(), until)) {
			return this.holders.token(command.request());
		}
		this.deadline = Math.max(this.deadline, until);
		return this.token;
	}

	void take(AcquireCommand command, long token, long now) {
		this.semaphore = command.mode() == LockMode.SEMAPHORE;
		this.permits = command.permits();
		this.line.served(command);
		long until = now + command.ttl().toNanos();
		if (command.mode().isExclusive()) {
			this.owner = command.request();
			this.mark = null;
			this.token = token;
			this.deadline = until;
			this.keptUntil = now + command.keepFor().toNanos();
			this.keeper = command.request();
			this.turnOfReaders = true;
		}
		else {
			this.holders.add(command.request(), until, token);
			// Readers do not raise it, but the first one may be the first of all.
			this.token = Math.max(this.token, token);
			this.turnOfReaders &= this.owner != null;
		}
	}

	/** Leave the word that somebody waits. */
	void queue(AcquireCommand command, long now) {
		if (!command.waiting().isZero()) {
			this.line.join(command, now);
		}
	}

	/**
	 * Another lock of its set is busy: a reader that could come in now would only keep
	 * out those who can have this one.
	 */
	void makeRoom(RequestId request, long now, List<MemoryWakeUp> wakeUps) {
		if (this.line.leavePhase(request)) {
			passOn(now, wakeUps);
		}
	}

	/** The last token, or zero. */
	long token() {
		return this.token;
	}

	boolean isHeldBy(RequestId request, long now) {
		this.holders.prune(now, this.ended);
		return this.holders.has(request) || (request.equals(this.owner) && this.deadline > now);
	}

	/** The next token will be larger than this, and a holder has at least this. */
	void raise(RequestId request, long least) {
		this.token = Math.max(this.token, least);
		this.holders.raise(request, least);
	}

	boolean renew(RenewCommand command, long now) {
		RequestId request = command.request();
		if (!isHeldBy(request, now) || !command.marks().know(mark(request))) {
			return false;
		}
		long until = now + command.ttl().toNanos();
		mark(request, command.marks().newest());
		if (!this.holders.lengthen(request, until)) {
			this.deadline = Math.max(this.deadline, until);
		}
		return true;
	}

	boolean release(RequestId request, RenewalMarks marks, long now, List<MemoryWakeUp> wakeUps) {
		boolean shared = this.holders.has(request);
		if ((shared || request.equals(this.owner)) && !marks.know(mark(request))) {
			return false;
		}
		boolean had = shared || request.equals(this.owner);
		catchUp(now, wakeUps);
		boolean held = this.holders.remove(request) || request.equals(this.owner);
		if (request.equals(this.keeper)) {
			// What it has run is over, and the lock is kept whatever is said of it later.
			this.keeper = null;
		}
		if (held && shared) {
			this.ended.addSharedReleased(request);
		}
		else if (held) {
			this.ended.addReleased(request);
		}
		if (had) {
			endTurn(request);
			passOn(now, wakeUps);
		}
		return this.ended.hasReleased(request);
	}

	void abandon(RequestId request, Duration waiting, long now, List<MemoryWakeUp> wakeUps) {
		catchUp(now, wakeUps);
		if (request.equals(this.keeper)) {
			this.keptUntil = now;
		}
		endTurn(request);
		boolean named = this.holders.remove(request);
		named |= this.line.leave(request);
		if (!named) {
			this.line.leave(request.instance());
		}
		this.ended.addAbandoned(request);
		if (!waiting.isZero()) {
			// It is still the turn of those who want it for themselves.
			this.turnOfReaders = false;
			this.line.join(request.instance(), now + waiting.toNanos());
		}
		if (waiting.isZero() || !this.line.isNext(request.instance())) {
			passOn(now, wakeUps);
		}
	}

	private void endTurn(RequestId request) {
		if (request.equals(this.owner)) {
			this.owner = null;
		}
	}

	/**
	 * Nobody has the lock for itself now: wake whoever is next, if anybody can have it.
	 */
	private void passOn(long now, List<MemoryWakeUp> wakeUps) {
		if (isTaken(now)) {
			return;
		}
		if (this.semaphore) {
			if (this.holders.count() < this.permits) {
				wakeInstance(false, wakeUps);
			}
		}
		else if (this.line.hasReaders() && (this.turnOfReaders || !this.line.hasWriters())) {
			letReadersIn(now, wakeUps);
		}
		else if (!this.line.hasPhase() && this.holders.isEmpty()) {
			RequestId head = this.line.nextInOrder();
			if (head != null) {
				wakeUps.add(new MemoryWakeUp(head.instance(), head));
			}
			else {
				wakeInstance(true, wakeUps);
			}
		}
	}

	private void letReadersIn(long now, List<MemoryWakeUp> wakeUps) {
		this.turnOfReaders = false;
		this.line.openPhase(now).forEach((instance) -> wakeUps.add(new MemoryWakeUp(instance, null)));
	}

	private void wakeInstance(boolean stay, List<MemoryWakeUp> wakeUps) {
		String instance = this.line.wakeNext(stay);
		if (instance != null) {
			wakeUps.add(new MemoryWakeUp(instance, null));
		}
	}

	/** Whether somebody has it for itself, or it is kept. */
	private boolean isTaken(long now) {
		return (this.owner != null && this.deadline > now) || this.keptUntil > now;
	}

	/** Until when anybody has it or it is kept, but not before now. */
	long busyUntil(long now) {
		long held = (this.owner != null) ? this.deadline : now;
		return Math.max(Math.max(held, this.holders.lastDeadline()), Math.max(this.keptUntil, now));
	}

	/** What a request can be to a lock. */
	enum Standing {

		/** It holds the lock. */
		OWNER,

		/** It has held the lock, or was abandoned before it could. */
		ENDED,

		/** It is in use as something else. */
		OTHER_KIND,

		/** Others hold the lock, or it is kept, or others come first. */
		LATE,

		/** Nobody is in the way. */
		FIRST

	}

}
