package io.distributedlock.state;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * One lock, and the rules by which it is held, waited for and passed on. Times are
 * milliseconds of the store's clock. Not thread-safe.
 * <p>
 * As in Redis, entries whose time is over stay until a command has a reason to look for
 * them, and a lock is forgotten as a whole.
 */
final class LockState {

	/** Readers do not look at each other, but so often one looks for expired ones. */
	private static final long LOOK_EVERY = 10_000;

	/** Nothing has held the lock since it was forgotten. */
	private static final int UNKNOWN = -1;

	final LockKey key;

	final long retention;

	/** How many may hold a semaphore, or zero if it is none. */
	int permits = UNKNOWN;

	/** Who holds it alone. */
	@Nullable Entry owner;

	/** How long it stays taken at least. */
	Lifetime kept = Lifetime.NONE;

	/** The last one, or zero. */
	long token;

	/** When all of it may be forgotten. */
	long expireAt = Long.MIN_VALUE;

	/** When readers look for expired ones, or zero where there are none. */
	long lookAt;

	/** Whether there may be waiters with names. */
	boolean queued;

	/** Readers or permits. */
	final Map<RequestId, Entry> holders = new HashMap<>(0);

	final Waiters waiters = new Waiters();

	final Tombstones tombstones = new Tombstones();

	/** Whether this command has looked for expired entries. */
	private boolean looked;

	/** The instances of the readers that this command has admitted. */
	private List<String> woken = List.of();

	private List<WakeUp> wakeUps = new ArrayList<>(0);

	LockState(LockKey key, long retention) {
		this.key = key;
		this.retention = retention;
	}

	/** What this command has to tell. */
	List<WakeUp> takeWakeUps() {
		List<WakeUp> all = this.wakeUps;
		if (!all.isEmpty()) {
			this.wakeUps = new ArrayList<>(0);
		}
		return all;
	}

	boolean isForgotten(long now) {
		return this.expireAt < now;
	}

	boolean isHeld(long now) {
		return this.owner != null && this.owner.lasts(now);
	}

	/** Whether it has no owner and is not kept; readers and permits are not looked at. */
	boolean isFree(long now) {
		return !isHeld(now) && !this.kept.lasts(now);
	}

	/** Whether it is held in any way, or kept. */
	boolean isTaken(long now) {
		return !isFree(now) || Entry.anyLasts(this.holders, now);
	}

	boolean isHeldBy(RequestId request, long now) {
		Entry held = held(request);
		return held != null && held.lasts(now);
	}

	private boolean isOwner(RequestId request) {
		return this.owner != null && this.owner.request().equals(request);
	}

	private @Nullable Entry held(RequestId request) {
		return isOwner(request) ? this.owner : this.holders.get(request);
	}

	private void hold(Entry entry) {
		if (isOwner(entry.request())) {
			this.owner = entry;
		}
		else {
			this.holders.put(entry.request(), entry);
		}
	}

	/** Whether there is more to it than one owner. */
	private boolean isShared() {
		return this.lookAt != 0 || this.queued;
	}

	private boolean isShared(AcquireCommand command) {
		return command.mode() != LockMode.EXCLUSIVE || this.permits > 0 || isShared();
	}

	private boolean isLookDue(long now) {
		return this.lookAt != 0 && (this.lookAt <= now || this.lookAt > now + LOOK_EVERY);
	}

	/** What a request is to this lock. */
	Standing standing(AcquireCommand command, boolean again, long now) {
		Entry held = held(command.request());
		if (held != null && held.lasts(now)) {
			return Standing.HOLDER;
		}
		if (!again && (held != null || this.tombstones.has(command.request()))) {
			return Standing.ENDED;
		}
		boolean differs = this.permits != UNKNOWN && this.permits != command.permits();
		return (differs && (isTaken(now) || this.waiters.last(now))) ? Standing.OTHER_KIND : Standing.NEW;
	}

	/** Look for what has run out, if that can matter to a request that has come. */
	void look(AcquireCommand command, long now) {
		boolean joins = command.mode() == LockMode.READ && this.permits == 0;
		if (isFree(now) && (this.queued || (joins ? isLookDue(now) : this.lookAt != 0))) {
			look(now);
		}
		// What had it alone has not released it, so that no readers were admitted.
		if (isFree(now) && (this.owner != null || !this.kept.equals(Lifetime.NONE))
				&& this.waiters.areReadersNext(true)) {
			this.woken = this.waiters.admitReaders(now);
			forgetOwner();
		}
	}

	private void look(long now) {
		this.looked = true;
		List<RequestId> expired = new ArrayList<>(0);
		this.holders.forEach((request, entry) -> {
			if (!entry.lasts(now)) {
				expired.add(request);
			}
		});
		expired.sort(Comparator.comparing(RequestId::toString).reversed());
		expired.forEach(this.tombstones::addExpired);
		Entry.prune(this.holders, now);
		this.waiters.prune(now);
	}

	/** The owner that has not released it never comes back. */
	private void forgetOwner() {
		if (this.owner != null) {
			this.tombstones.addExpired(this.owner.request());
		}
		this.owner = null;
		this.kept = Lifetime.NONE;
	}

	/** What stands in the way of a request, if anything does. */
	@Nullable Obstacle obstacle(AcquireCommand command, Approach approach, long now) {
		if (this.owner != null && this.owner.lasts(now)) {
			return this.owner.request().equals(command.beside()) ? null
					: new Obstacle(this.owner.request().instance(), Math.max(this.owner.end(now), this.kept.end(now)));
		}
		if (this.kept.lasts(now)) {
			return new Obstacle("", this.kept.end(now));
		}
		return switch (command.mode()) {
			case SEMAPHORE -> (this.holders.size() < command.permits()) ? null : outermost(true);
			case READ -> approach.isClaim() ? null : this.waiters.beforeReader(command.request(), now);
			default -> !this.holders.isEmpty() ? outermost(false)
					: approach.isClaim() ? null : this.waiters.beforeWriter(command.request());
		};
	}

	/** Whose lease ends first, or last; the lower id decides between two. */
	private @Nullable Obstacle outermost(boolean first) {
		Comparator<Entry> byEnd = Comparator.comparingLong((entry) -> entry.lifetime().deadline());
		return this.holders.values()
			.stream()
			.min((first ? byEnd : byEnd.reversed()).thenComparing((entry) -> entry.request().toString()))
			.map((entry) -> new Obstacle(entry.request().instance(), entry.lifetime().deadline()))
			.orElse(null);
	}

	/**
	 * The holder asks again. Its lease is not shortened.
	 * @param again whether it holds the lock by the word of others, so that the next
	 * renewal is taken whatever its marks are
	 * @return the token that it was given
	 */
	long lengthen(AcquireCommand command, boolean again, long now) {
		RequestId request = command.request();
		Entry held = held(request);
		if (held == null) {
			throw new IllegalStateException(request + " does not hold " + this.key);
		}
		lengthen(again ? held.with("") : held, Lifetime.millis(command.ttl()), isShared(command), now);
		return isOwner(request) ? this.token : held.number();
	}

	boolean renew(RenewCommand command, long now) {
		Entry held = held(command.request());
		if (held == null || !held.lasts(now) || !command.marks().know(held.mark())) {
			return false;
		}
		lengthen(held.with(command.marks().newest()), Lifetime.millis(command.ttl()), isShared(), now);
		return true;
	}

	private void lengthen(Entry held, long ttl, boolean shared, long now) {
		Entry lengthened = held.with(held.lifetime().lengthened(ttl, now));
		hold(lengthened);
		live(Math.max(lengthened.end(now), this.kept.end(now)), shared);
	}

	/** What is known is kept for the retention; what others know may be kept longer. */
	private void live(long until, boolean shared) {
		this.expireAt = Math.max(until + this.retention, shared ? this.expireAt : Long.MIN_VALUE);
	}

	void take(AcquireCommand command, long token, long now) {
		boolean shared = isShared(command);
		// Beside its own owner a reader has not looked, and leaves its place in line.
		if (this.looked) {
			this.waiters.remove(command.request());
		}
		long ttl = Lifetime.millis(command.ttl());
		long keepFor = Lifetime.millis(command.keepFor());
		Entry entry = new Entry(command.request(), Lifetime.of(ttl, now), token);
		if (command.mode().isExclusive()) {
			forgetOwner();
			this.owner = entry;
			this.kept = Lifetime.of(keepFor, now);
		}
		else {
			if (isFree(now)) {
				forgetOwner();
			}
			this.holders.put(entry.request(), entry);
		}
		this.token = Math.max(this.token, token);
		if (Waiters.waitsAsInstance(command)) {
			this.waiters.instances.prune(now);
			this.waiters.instances.leave(command.request().instance());
		}
		this.permits = command.permits();
		live(now + Math.max(ttl, keepFor), shared);
		finish(now);
	}

	/**
	 * The lock is busy. If the clock went back, it is so no longer than it was taken for.
	 */
	void busy(long now) {
		if (this.owner != null && this.owner.lasts(now)) {
			this.owner = this.owner.at(now);
		}
		if (this.kept.lasts(now)) {
			this.kept = this.kept.at(now);
		}
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
		if (isFree(now) && this.waiters.admitted.remove(request) != null) {
			passOn(false, 0, now);
		}
	}

	/** Nothing has the lock alone any more: wake who is next, if it can be had. */
	private void passOn(boolean fromWriter, int except, long now) {
		if (!this.looked && isShared()) {
			look(now);
		}
		this.waiters.instances.prune(now);
		if (this.waiters.areReadersNext(fromWriter)) {
			this.woken = this.waiters.admitReaders(now);
		}
		else if (this.holders.isEmpty() && this.waiters.admitted.isEmpty()) {
			Entry head = this.waiters.head();
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

	/** The command has done what it does. */
	void finish(long now) {
		if (this.looked || (this.lookAt == 0 && !this.holders.isEmpty())) {
			this.lookAt = this.holders.isEmpty() ? 0 : now + LOOK_EVERY;
		}
		this.queued = this.waiters.haveNames() || (this.queued && !this.looked);
		this.looked = false;
		this.woken.forEach(this::wake);
		this.woken = List.of();
	}

	/** Whether the request was the owner or has been, and not expired. */
	boolean release(RequestId request, RenewalMarks marks, long now) {
		Entry held = held(request);
		if (held == null || !marks.know(held.mark())) {
			return this.tombstones.hasReleased(request);
		}
		if (isOwner(request)) {
			releaseOwned(request, now);
		}
		else {
			releaseShared(request, now);
		}
		finish(now);
		return held.lasts(now);
	}

	private void releaseOwned(RequestId request, long now) {
		this.owner = null;
		this.tombstones.addReleased(request);
		live(Math.max(this.kept.end(now), now), isShared());
		if (!this.kept.lasts(now)) {
			this.kept = Lifetime.NONE;
			passOn(true, 0, now);
		}
	}

	private void releaseShared(RequestId request, long now) {
		this.holders.remove(request);
		this.tombstones.addSharedReleased(request);
		live(now, true);
		if (this.permits > 0) {
			this.waiters.instances.prune(now);
			wake(this.waiters.instances.takeFirst());
		}
		else if (isFree(now) && (this.queued || !this.waiters.instances.isEmpty() || isLookDue(now))) {
			passOn(false, 0, now);
		}
	}

	/**
	 * End a request.
	 * @param successor a fair request that comes before all who wait if the ended one was
	 * the owner, or {@code null}
	 * @param waiting how long the entry counts that the successor, or without one the
	 * instance, goes on waiting; zero for none
	 * @return whether it had the lock
	 */
	boolean abandon(RequestId request, @Nullable RequestId successor, long waiting, long now) {
		boolean owned = isOwner(request);
		boolean passes = owned && successor != null && !this.tombstones.hasAbandoned(successor);
		boolean shared = this.holders.remove(request) != null;
		boolean named = this.waiters.remove(request) || shared;
		if (owned) {
			// An acquisition that was not used has run nothing, and is not kept either.
			this.owner = null;
			this.kept = Lifetime.NONE;
		}
		this.tombstones.addAbandoned(request);
		live(now + waiting, !owned || isShared());
		boolean stays = waiting > 0 && successor == null;
		this.waiters.instances.prune(now);
		if (!named) {
			// A reader or a fair waiter has left no entry of its instance.
			this.waiters.instances.leave(request.instance());
		}
		if (stays) {
			this.waiters.instances.append(request.instance(), now + waiting);
		}
		if (successor != null && passes) {
			// It is the turn of no other waiter, so none is woken.
			look(now);
			this.waiters.addFirst(successor, waiting, now);
		}
		else if (isFree(now)) {
			passOnAbandoned(owned && !stays, stays ? 1 : 0, now);
		}
		finish(now);
		return owned || shared;
	}

	private void passOnAbandoned(boolean fromWriter, int except, long now) {
		if (this.permits <= 0) {
			passOn(fromWriter, except, now);
		}
		else if (!this.waiters.instances.isEmpty()) {
			look(now);
			if (this.holders.size() < this.permits) {
				wake(this.waiters.instances.takeFirst());
			}
		}
	}

	/** The next token will be larger than this, and a holder has at least this. */
	void raise(RequestId request, long least, long now) {
		this.token = Math.max(this.token, least);
		this.holders.computeIfPresent(request,
				(same, holder) -> (holder.number() >= least) ? holder : holder.at(now).with(least));
	}

	/** What a request can be to a lock. */
	enum Standing {

		/** It holds the lock. */
		HOLDER,

		/** It has held the lock, or was abandoned before it could. */
		ENDED,

		/** The lock is in use as one of another kind. */
		OTHER_KIND,

		/** None of these. */
		NEW

	}

}
