package io.distributedlock.state;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.state.Register.Status;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.Approach;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * One lock, and the rules by which it is held, waited for and passed on. Times are
 * milliseconds of the store's clock. Not thread-safe.
 * <p>
 * What a contender has asked for last is in its register. That of the one who has the
 * lock alone, or had it last, is kept apart from the others: while it is there, no other
 * request can have had the lock.
 */
final class LockState {

	final LockKey key;

	final long retention;

	/** How many may hold a semaphore, or zero if it is none. */
	int permits;

	/** Who holds it alone, or did so last. */
	@Nullable Register owner;

	/** How long it stays taken at least. */
	Lifetime kept = Lifetime.NONE;

	/** The last one, or zero. */
	long token;

	/** When all of it may be forgotten. */
	long expireAt = Long.MIN_VALUE;

	final Registers registers;

	final Waiters waiters = new Waiters();

	private List<WakeUp> wakeUps = new ArrayList<>(0);

	/** The instances of the readers that this command has admitted. */
	private List<String> admitted = List.of();

	LockState(LockKey key, long retention) {
		this.key = key;
		this.retention = retention;
		this.registers = new Registers(retention);
	}

	/**
	 * As the clock shows it now. What is over does not count any more. If the clock went
	 * back, nothing lasts longer than it was taken for.
	 */
	LockState at(long now) {
		if (this.owner != null) {
			this.owner = this.owner.at(now);
		}
		if (this.kept.lasts(now)) {
			this.kept = this.kept.at(now);
		}
		this.registers.prune(now);
		this.waiters.prune(now);
		return this;
	}

	/** What this command has to tell, to readers at last. */
	List<WakeUp> takeWakeUps() {
		this.admitted.forEach(this::wake);
		this.admitted = List.of();
		List<WakeUp> all = this.wakeUps;
		if (!all.isEmpty()) {
			this.wakeUps = new ArrayList<>(0);
		}
		return all;
	}

	boolean isForgotten(long now) {
		return this.expireAt < now;
	}

	/** Whether it has no owner and is not kept; readers and permits are not looked at. */
	boolean isFree(long now) {
		return (this.owner == null || !this.owner.lasts(now)) && !this.kept.lasts(now);
	}

	/** Whether it is held in any way, or kept. */
	boolean isTaken(long now) {
		return !isFree(now) || !this.registers.holders.isEmpty();
	}

	boolean isHeldBy(RequestId request, long now) {
		Register last = register(request, now);
		return last != null && last.isOf(request) && last.lasts(now);
	}

	/** Whether it has the lock alone, or did so last. */
	private boolean isOwner(RequestId request) {
		return this.owner != null && this.owner.isOf(request);
	}

	/** Whether it has the lock alone, or had it until its lease ran out. */
	private boolean isHeldAlone(RequestId request) {
		return isOwner(request) && this.owner != null && this.owner.isHeld();
	}

	/**
	 * The last request of the same contender, or the request itself if it has the lock
	 * alone, or did so last: it is not over because a later one was abandoned.
	 */
	private @Nullable Register register(RequestId request, long now) {
		Register other = this.registers.of(request);
		Register alone = (this.owner != null && this.owner.request().isOfSameContender(request)) ? this.owner : null;
		boolean isLater = other != null && !isOwner(request) && (alone == null || other.isAfter(alone.request()));
		return (other != null && isLater) ? other.at(now) : alone;
	}

	private void write(Register register) {
		if (isOwner(register.request())) {
			this.owner = register;
		}
		else {
			this.registers.put(register);
		}
	}

	/** Whether there is more to it than one owner. */
	private boolean isShared() {
		return this.permits > 0 || !this.registers.holders.isEmpty() || this.waiters.haveNames();
	}

	private boolean isShared(AcquireCommand command) {
		return command.mode() != LockMode.EXCLUSIVE || isShared();
	}

	/** What a request is to this lock. */
	Standing standing(AcquireCommand command, long now) {
		Register last = register(command.request(), now);
		if (last != null && !last.isBefore(command.request())) {
			if (last.isOf(command.request()) && last.lasts(now)) {
				return Standing.HOLDER;
			}
			if (command.approach() != Approach.CLAIM_AGAIN || !last.isOf(command.request())) {
				return Standing.ENDED;
			}
		}
		// What was never held or queued for in order is of no kind.
		boolean isOfAKind = this.token > 0 || !this.waiters.fair.isEmpty();
		boolean differs = isOfAKind && this.permits != command.permits();
		return (differs && (isTaken(now) || !this.waiters.isEmpty())) ? Standing.OTHER_KIND : Standing.NEW;
	}

	/**
	 * Notice, once, that what had the lock alone has not released it in time, or that the
	 * lock is not kept any more: the readers that wait by then come next, as after a
	 * release.
	 */
	void noticeExpiry(long now) {
		if (!isFree(now) || !(isUnnoticed() || !this.kept.equals(Lifetime.NONE))) {
			return;
		}
		if (this.waiters.areReadersNext(true)) {
			admitReaders(now);
			expireOwner();
		}
		else if (isUnnoticed() && this.owner != null) {
			this.owner = this.owner.with(Lifetime.NONE);
		}
		this.kept = Lifetime.NONE;
	}

	/** Whether no command has noticed yet that a lease ran out. */
	private boolean isUnnoticed() {
		return this.owner != null && this.owner.isHeld() && !this.owner.lifetime().equals(Lifetime.NONE);
	}

	private void admitReaders(long now) {
		this.admitted = this.waiters.readers.admit(now);
	}

	/** The owner that has not released it never comes back. */
	private void expireOwner() {
		if (this.owner != null) {
			this.owner = this.owner.expired();
		}
		this.kept = Lifetime.NONE;
	}

	/** What stands in the way of a request, if anything does. */
	@Nullable Obstacle obstacle(AcquireCommand command, long now) {
		Register last = register(command.request(), now);
		if (last != null && last != this.owner && last.lasts(now)) {
			// Another process of the same image may have it, or it is about to be
			// released.
			return obstacle(last);
		}
		if (this.owner != null && this.owner.lasts(now)) {
			return this.owner.request().equals(command.beside()) ? null
					: new Obstacle(this.owner.request().instance(), Math.max(this.owner.end(now), this.kept.end(now)));
		}
		if (this.kept.lasts(now)) {
			return new Obstacle("", this.kept.end(now));
		}
		boolean held = !this.registers.holders.isEmpty();
		return switch (command.mode()) {
			case SEMAPHORE ->
				(this.registers.holders.size() < command.permits()) ? null : obstacle(this.registers.holders.first());
			case READ -> command.approach().isClaim() ? null : this.waiters.beforeReader(command.request(), now);
			default -> held ? obstacle(this.registers.holders.last())
					: command.approach().isClaim() ? null : this.waiters.beforeWriter(command.request());
		};
	}

	private static Obstacle obstacle(Register holder) {
		return new Obstacle(holder.request().instance(), holder.lifetime().deadline());
	}

	/**
	 * The holder asks again. Its lease is not shortened. If it holds the lock by the word
	 * of others, the next renewal is taken whatever its marks are.
	 * @return the token that it was given
	 */
	long lengthen(AcquireCommand command, long now) {
		RequestId request = command.request();
		Register held = register(request, now);
		if (held == null) {
			throw new IllegalStateException(request + " does not hold " + this.key);
		}
		boolean again = command.approach() == Approach.CLAIM_AGAIN;
		lengthen(again ? held.with("") : held, Lifetime.millis(command.ttl()), isShared(command), now);
		return isOwner(request) ? this.token : held.token();
	}

	boolean renew(RenewCommand command, long now) {
		Register held = register(command.request(), now);
		if (held == null || !held.isOf(command.request()) || !held.lasts(now) || !command.marks().know(held.mark())) {
			return false;
		}
		lengthen(held.with(command.marks().newest()), Lifetime.millis(command.ttl()), isShared(), now);
		return true;
	}

	private void lengthen(Register held, long ttl, boolean shared, long now) {
		Register lengthened = held.with(held.lifetime().lengthened(ttl, now));
		write(lengthened);
		live(Math.max(lengthened.end(now), this.kept.end(now)), shared);
	}

	/** What is known is kept for the retention; what others know may be kept longer. */
	private void live(long until, boolean shared) {
		this.expireAt = Math.max(until + this.retention, shared ? this.expireAt : Long.MIN_VALUE);
	}

	void take(AcquireCommand command, long token, long now) {
		boolean shared = isShared(command);
		this.waiters.remove(command.request());
		long ttl = Lifetime.millis(command.ttl());
		long keepFor = Lifetime.millis(command.keepFor());
		Register taken = Register.held(command.request(), Lifetime.of(ttl, now), token);
		if (command.mode().isExclusive()) {
			own(taken, now);
			this.kept = Lifetime.of(keepFor, now);
		}
		else {
			if (isFree(now)) {
				expireOwner();
			}
			this.registers.put(taken);
		}
		this.token = Math.max(this.token, token);
		if (Waiters.waitsAsInstance(command)) {
			this.waiters.instances.leave(command.request().instance());
		}
		this.permits = command.permits();
		live(now + Math.max(ttl, keepFor), shared);
	}

	/** The owner before is remembered from now on, as others are from their end. */
	private void own(Register taken, long now) {
		if (this.owner != null && !this.owner.request().isOfSameContender(taken.request())) {
			Register last = this.registers.last(this.owner);
			this.registers.put(last.ended(last.isHeld() ? Status.GONE : last.status(), now));
		}
		if (this.registers.last(taken) == taken) {
			this.registers.remove(taken.request());
		}
		this.owner = taken;
	}

	/**
	 * Leave the entry that the request waits.
	 * @param inPlace whether a fair request keeps its place
	 * @param lasting whether nothing else keeps the lock from being forgotten
	 */
	void queue(AcquireCommand command, boolean inPlace, boolean lasting, long now) {
		this.waiters.add(command, inPlace, now);
		if (command.mode() == LockMode.FAIR) {
			this.permits = 0;
		}
		if (lasting || !Waiters.waitsAsInstance(command)) {
			live(now + Lifetime.millis(command.waiting()), true);
		}
	}

	/**
	 * Another lock of its set is busy: a reader that could take this one now would only
	 * keep out those that can have it.
	 */
	void makeRoom(RequestId request, long now) {
		if (isFree(now) && this.waiters.readers.admitted.remove(request)) {
			passOn(false, 0, now);
		}
	}

	/** Nothing has the lock alone any more: wake who is next, if it can be had. */
	private void passOn(boolean fromWriter, int except, long now) {
		this.waiters.fair.prune(now);
		if (this.permits > 0) {
			wake((this.registers.holders.size() < this.permits) ? this.waiters.instances.takeFirst() : null);
		}
		else if (this.waiters.areReadersNext(fromWriter)) {
			admitReaders(now);
		}
		else if (this.registers.holders.isEmpty() && this.waiters.readers.admitted.isEmpty()) {
			Entry head = this.waiters.fair.head();
			if (head != null) {
				this.wakeUps.add(new WakeUp(this.key, head.request().instance(), head.request()));
			}
			else {
				wake(this.waiters.instances.wakeNext(except));
			}
		}
	}

	private void wake(@Nullable String instance) {
		if (instance != null) {
			this.wakeUps.add(new WakeUp(this.key, instance, null));
		}
	}

	/**
	 * Give the lock back.
	 * @return whether no other request can have had it up to now, or the request has
	 * ended before, or a later one of its contender is gone: one that is alone may be
	 * late, as long as it is the last one
	 */
	boolean release(ReleaseCommand command, long now) {
		RequestId request = command.request();
		Register last = register(request, now);
		if (last == null || !last.isOf(request)) {
			// A later one that has it may be of another process with the same identity.
			return last != null && last.isAfter(request) && last.status() == Status.GONE;
		}
		if (!last.isHeld() || !command.marks().know(last.mark()) || (!isOwner(request) && !last.lasts(now))) {
			return last.status() == Status.RELEASED;
		}
		boolean unnoticed = isUnnoticed();
		write(last.ended(Status.RELEASED, now));
		if (isOwner(request)) {
			ownerReleased(unnoticed, now);
		}
		else {
			holderReleased(now);
		}
		return true;
	}

	private void ownerReleased(boolean unnoticed, long now) {
		live(Math.max(this.kept.end(now), now), isShared());
		if (!this.kept.lasts(now)) {
			this.kept = Lifetime.NONE;
			passOn(unnoticed, 0, now);
		}
	}

	private void holderReleased(long now) {
		live(now, true);
		if (isFree(now)) {
			passOn(false, 0, now);
		}
	}

	/**
	 * End a request.
	 * @return whether it had the lock
	 */
	boolean abandon(AbandonCommand command, long now) {
		RequestId request = command.request();
		RequestId successor = command.successor();
		long waiting = Lifetime.millis(command.waiting());
		boolean owned = isHeldAlone(request);
		boolean unnoticed = owned && isUnnoticed();
		boolean passes = successor != null && passes(request, successor, now);
		boolean held = end(request, now);
		boolean named = this.waiters.remove(request) || (held && !owned);
		live(now + waiting, !owned || isShared());
		boolean stays = waiting > 0 && successor == null;
		if (!named) {
			// A reader or a fair waiter has left no entry of its instance.
			this.waiters.instances.leave(request.instance());
		}
		if (stays) {
			this.waiters.instances.append(request.instance(), now + waiting);
		}
		if (successor != null && passes) {
			// It is the turn of no other waiter, so none is woken.
			this.waiters.fair.addFirst(new Entry(successor, now + waiting));
		}
		else if (isFree(now)) {
			passOn(unnoticed && !stays, stays ? 1 : 0, now);
		}
		return held;
	}

	/** Whether a request gives its turn to a successor, which has not ended itself. */
	boolean passes(RequestId request, RequestId successor, long now) {
		Register last = register(successor, now);
		return isHeldAlone(request)
				&& (last == null || last.isBefore(successor) || (last.isOf(successor) && last.isHeld()));
	}

	/**
	 * Remember that a request has ended, unless an earlier one of its contender reads or
	 * has a permit.
	 * @return whether it held the lock
	 */
	private boolean end(RequestId request, long now) {
		Register last = register(request, now);
		boolean held = last != null && last.isOf(request) && last.isHeld();
		if (held && isOwner(request)) {
			// An acquisition that was not used has run nothing, and is not kept either.
			this.kept = Lifetime.NONE;
		}
		if (held) {
			write(Register.gone(request, now));
		}
		else if (last == null || (last.isBefore(request) && (last == this.owner || !last.lasts(now)))) {
			this.registers.put(Register.gone(request, now));
		}
		return held;
	}

	/** The next token will be larger than this, and a holder has at least this. */
	void raise(RaiseCommand command, long now) {
		this.token = Math.max(this.token, command.token());
		Register held = register(command.request(), now);
		if (held != null && !isOwner(command.request()) && held.token() < command.token()) {
			this.registers.put(held.with(command.token()));
		}
	}

	/** What a request can be to a lock. */
	enum Standing {

		/** It holds the lock. */
		HOLDER,

		/** It has ended, or another request of its contender is later than it. */
		ENDED,

		/** The lock is in use as one of another kind. */
		OTHER_KIND,

		/** None of these. */
		NEW

	}

}
