package io.distributedlock.engine.internal.line;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import io.distributedlock.LockMode;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.instance.Passage;
import io.distributedlock.engine.internal.lease.EndCommand;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.lease.LostRequest;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lock, or of one set of locks, in this instance: its grant and its
 * waiters. The monitor of the queue guards all fields, and its line, attempts, claim and
 * turn. Its states are:
 * <ul>
 * <li>Free: no attempt, no contention, no held grant. It is dead and removed at once; a
 * caller that still comes to it takes a new queue.</li>
 * <li>{@code first}: one waiter attempts to get a free lock. After a success its grant is
 * held; any other event makes a {@code Contention} of it.</li>
 * <li>{@code contention}: the waiters in line. Only the head sends attempts, and none
 * while {@code held} is set.</li>
 * <li>{@code held}: a grant holds the lock or is about to be released. The permits of an
 * {@link OtherQueue} are kept apart and do not stop the head.</li>
 * </ul>
 * Callers, answers of the store, messages and the loop change the queue. Each decision is
 * made under the monitor, mostly by {@code decide} or {@code contended}. Its
 * {@link AfterUnlock effects} run after the monitor was left: commands, settled waiters,
 * user code. The only user code under it compares owners.
 * <p>
 * A decision never enters another queue: two monitors of queues are not held together. If
 * callers have waiter entries of their own in the store, each has a queue of its own.
 */
public class KeyQueue {

	static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	public final QueueIndex index;

	private final LockKey key;

	/** The grant that holds the lock, or is about to be released. */
	@Nullable Grant held;

	/** The turn in which the lock was acquired last, if it is to be handed on. */
	private @Nullable Turn turn;

	/** The attempt of an only waiter, until it succeeds or anything else happens. */
	@Nullable Attempt first;

	@Nullable Contention contention;

	private boolean dead;

	/** Create the line of all exclusive requests for a single key. */
	public KeyQueue(QueueIndex index, LockKey key) {
		this.index = index;
		this.key = key;
	}

	/** Return the id of this queue, unique within the instance. */
	String id() {
		return this.key.encoded();
	}

	List<LockKey> keys() {
		return List.of(this.key);
	}

	public LockMode mode() {
		return LockMode.EXCLUSIVE;
	}

	/** Return whether this is the line of all exclusive requests for a single key. */
	public boolean isPlain() {
		return true;
	}

	/** Return what its grants keep of the keys. */
	Object target() {
		return this.key;
	}

	/** Return the place of its waiter among other fair ones, if it has one. */
	FairSigns.@Nullable Place<KeyQueue> fairPlace() {
		return null;
	}

	/** Return the queue of a grant: only queues make grants. */
	public static KeyQueue of(Grant grant) {
		return ((QueuedGrant) grant).queue();
	}

	/** The request of a grant is not contended for any more. */
	void abandoned(Grant abandoned) {
	}

	/** A grant has got the lock, and callers cannot see it yet. */
	void acquired(Grant acquired) {
	}

	/** The holder of a grant is about to be forgotten. */
	void holderLeaves(Grant left) {
	}

	/** Return whether other queues may have waiters for the same keys. */
	boolean sharesKeys() {
		return this.index.otherCount > 0;
	}

	/** Return whether the lock, or a permit, is held or about to be released. */
	boolean isInUse() {
		return this.held != null;
	}

	/**
	 * Forget a lost grant, which blocks the lock no longer, even if its holder is not
	 * notified yet.
	 */
	private void forgetLost() {
		if (this.held != null && this.held.isLost()) {
			this.held = null;
		}
	}

	/** A grant holds the lock, and keeps others from it. */
	void keep(Grant granted) {
		this.held = granted;
	}

	/** A grant does not hold the lock any more. */
	void forget(Grant ended) {
		if (this.held == ended) {
			this.held = null;
		}
	}

	/**
	 * Hold the lock for a waiter.
	 * @return the effect to run outside the monitor
	 */
	Runnable hold(Attempt attempt, Waiter waiter, AcquireOutcome.Granted answer, long now) {
		Grant granted = attempt.grant;
		granted.ownedBy(waiter.owner, waiter.thread(), answer.token());
		granted.begin(waiter.terms, attempt.sentAt, now, attempt.validUntil());
		Hold entered = enter(granted, waiter);
		this.index.instance.sawToken(answer.token());
		this.index.instance.holdBegins();
		acquired(granted);
		keep(granted);
		this.turn = (attempt.spareTokens > 0) ? new Turn(attempt, answer) : null;
		return () -> granted(entered, waiter, attempt.sentAt, attempt.from());
	}

	private static Hold enter(Grant grant, Waiter waiter) {
		return grant.enter(grant.plain ? null : waiter.keys, waiter.owner != null,
				waiter.terms.whenLost != WhenLost.IGNORE);
	}

	/**
	 * Hand the lock on to a waiter, if it is still the turn of this instance.
	 * @return the effect to run outside the monitor; {@code null} if the lock has to be
	 * released instead
	 */
	private @Nullable Runnable handOn(Grant left, Waiter waiter) {
		Turn current = this.turn;
		long now = this.index.instance.clock.nanos();
		if (current == null || !current.goesOn(left, waiter.terms, now)) {
			return null;
		}
		Grant next = QueuedGrant.handOn(left, waiter, now);
		if (next == null) {
			return null;
		}
		current.handedOn(next);
		Hold entered = enter(next, waiter);
		keep(next);
		return () -> {
			this.index.instance.timers.cancel(left);
			tellReleased(left, null);
			granted(entered, waiter, next.confirmedAt(), AcquiredFrom.THIS_INSTANCE);
		};
	}

	/**
	 * A waiter has got a lock, from the store or by a hand-off. Called outside all
	 * monitors.
	 */
	private void granted(Hold hold, Waiter waiter, long renewableFrom, AcquiredFrom from) {
		Grant granted = hold.grant;
		granted.scheduleRenewal(renewableFrom);
		if (from != AcquiredFrom.THIS_INSTANCE && this.index.otherCount > 0) {
			this.index.grants.askExcluded(granted);
		}
		take(waiter, hold);
		if (from != AcquiredFrom.STORE) {
			this.index.instance.counters.handOffs(from).increment();
		}
		if (this.index.events.listening) {
			this.index.events.acquired(granted, waiter.waited(granted.acquiredAt()), from);
		}
	}

	/** Return the grant of the line for a single key. */
	static @Nullable Grant heldInLine(QueueIndex index, String encodedKey) {
		KeyQueue plain = index.line(encodedKey);
		return (plain != null) ? plain.held() : null;
	}

	/** Settle a waiter with a hold, which is dropped if it has given up meanwhile. */
	private void take(Waiter waiter, Hold hold) {
		if (!waiter.settle(hold)) {
			drop(hold);
		}
	}

	/**
	 * End a hold as if the lock had never been acquired: no code ran under it. The lock
	 * is not kept unless for another hold, and a loss is not reported.
	 * @return completes when the lock is released, on the thread that brings the answer
	 */
	static CompletableFuture<Void> drop(Hold hold) {
		CompletableFuture<Void> released = of(hold.grant).end(hold, false);
		if (released != null && hold.isWatched()) {
			hold.tellEndAfter(released);
		}
		return (released != null) ? released : DONE;
	}

	/**
	 * End a hold.
	 * @param used {@code true} if code ran under it
	 * @return completes when the lock is released, or {@code null} if it was closed
	 */
	@Nullable CompletableFuture<Void> end(Hold hold, boolean used) {
		if (!hold.close()) {
			return null;
		}
		Grant grant = hold.grant;
		if (used) {
			grant.use();
		}
		boolean last = grant.exit(hold);
		hold.disown();
		if (!last) {
			grant.isHeld(grant.now());
			disownUnlessOwned(grant);
			return DONE;
		}
		return release(grant);
	}

	/** Forget the owner of a grant once no hold belongs to it any more. */
	synchronized void disownUnlessOwned(Grant grant) {
		if (!grant.hasOwnedHold()) {
			holderLeaves(grant);
			grant.disown();
		}
	}

	/**
	 * End the turn of this instance.
	 * @return the pause for other instances before the next turn, in nanoseconds
	 */
	synchronized long endTurn() {
		Turn ended = this.turn;
		this.turn = null;
		return (ended != null) ? ended.pause() : 0;
	}

	/**
	 * End the turn of this instance: the request of a grant is known outside, as to a
	 * reader beside it or to other processes. From here on it is not handed on.
	 * @return false if the grant does not hold the lock any more
	 */
	synchronized boolean keepsRequest(Grant writer) {
		endTurn();
		return writer.isHeld(this.index.instance.clock.nanos());
	}

	/** The grant that holds the lock. */
	synchronized @Nullable Grant held() {
		Grant current = this.held;
		return (current != null && current.isHeld(this.index.instance.clock.nanos())) ? current : null;
	}

	/** The grants that hold the lock. */
	public List<Grant> allHeld() {
		Grant alone = held();
		return (alone != null) ? List.of(alone) : List.of();
	}

	/**
	 * Let a waiter enter the held lock if its owner has that lock.
	 * @return {@code true} if the waiter has entered or was refused
	 */
	boolean enterAgain(Waiter waiter, AfterUnlock effects) {
		Grant current = waiter.terms.entersAgain(mode()) ? held() : null;
		try {
			if (current == null || current.holds() == 0 || !Reentrance.mayEnter(waiter.owner, current.owner())) {
				return false;
			}
		}
		catch (Throwable ex) {
			// The owner is an object of the user, and cannot be compared.
			effects.add(() -> waiter.settle(Failure.of(ex)));
			return true;
		}
		waiter.place = this;
		enterAgain(current, waiter, effects);
		return true;
	}

	/** Let a waiter enter the grant of its owner, or refuse it. */
	private void enterAgain(Grant current, Waiter waiter, AfterUnlock effects) {
		Failure refusal = Reentrance.refusal(current, waiter);
		if (refusal != null) {
			effects.add(() -> waiter.settle(refusal));
			return;
		}
		Hold entered = enter(current, waiter);
		LockTerms before = current.extend(waiter.terms);
		if (current.terms().renew != before.renew) {
			effects.add(() -> current.renewAt(current.now()));
		}
		boolean longer = current.ttlNanos() > before.ttlNanos;
		if (longer || current.isInDoubt()) {
			waiter.entering(entered);
			effects.add(() -> this.index.renewals.lengthen(current, longer)
				.thenAccept((failure) -> lengthened(entered, waiter, failure)));
		}
		else {
			effects.add(() -> take(waiter, entered));
		}
	}

	private void lengthened(Hold entered, Waiter waiter, @Nullable LockStoreException failure) {
		Grant grant = entered.grant;
		if (failure == null && grant.isConfirmed(grant.now()) && waiter.settle(entered)) {
			return;
		}
		drop(entered);
		waiter.settle((failure != null) ? () -> Failure.ofStore(failure) : () -> grant.loss(false));
	}

	/** A grant was lost. Called once for a grant, on the loop. */
	void lost(Grant lost, LossReason reason) {
		LostRequest.end(lost);
		lost.allHolds().forEach(Hold::lost);
		ended(lost, reason == LossReason.NOT_OWNER, lost.renewalFailure());
		this.index.instance.counters.losses(reason).increment();
		this.index.losses.add(lost, reason);
		this.index.events.lost(lost, reason);
	}

	/**
	 * The release of a grant was answered, or is overdue.
	 * @param failure why the store has not confirmed it, {@code null} if it has
	 */
	private void released(Grant released, @Nullable LockStoreException failure) {
		released.releaseAnswered(failure);
		ended(released, failure == null, failure);
		tellReleased(released, failure);
	}

	/**
	 * Publish a release. A failure is logged as well; otherwise only a listener needs it.
	 */
	private void tellReleased(Grant released, @Nullable LockStoreException failure) {
		if (failure != null || this.index.events.listening) {
			this.index.events.released(released, failure);
		}
	}

	/** The timer of a held grant has fired. */
	void due(Grant due, long now) {
		this.index.renewals.due(due, now);
	}

	/**
	 * Wake up the lines for the keys of an ended grant: one of them may come next, also
	 * where no message arrives.
	 * @param late {@code true} if the store may have freed the lock only now
	 */
	private void wakeUpLines(boolean late) {
		if (late || sharesKeys()) {
			keys().forEach((key) -> this.index.forEachLine(key.encoded(), (queue) -> queue.wakeUp(null)));
		}
	}

	/**
	 * Create a grant to contend for; it takes over the place of the one before, if any.
	 */
	public Grant newGrant(@Nullable Grant before, LockTerms terms) {
		return new QueuedGrant(this, before, terms);
	}

	/** Make a decision, follow it up, and run the effects. */
	private boolean decide(Predicate<AfterUnlock> decision) {
		AfterUnlock effects = new AfterUnlock();
		boolean decided;
		synchronized (this) {
			decided = decision.test(effects);
			changed();
		}
		effects.run();
		return decided;
	}

	/**
	 * The state has changed: let the held grant know whether others wait for its lock,
	 * and retire the queue if it is unused.
	 */
	private void changed() {
		if (this.contention != null && this.contention.isEmpty()) {
			this.contention = null;
		}
		if (this.held != null) {
			this.held.awaited(this.contention != null && this.contention.head() != null);
		}
		if (isFree()) {
			this.dead = true;
			remove();
		}
	}

	/** Remove this queue from the index, since it is not used any more. */
	void remove() {
		this.index.all.remove(id(), this);
	}

	private boolean isFree() {
		return !this.dead && this.first == null && this.contention == null && !isInUse();
	}

	/** Make a decision about the waiters, if there are any. */
	void contended(BiConsumer<Contention, AfterUnlock> decision) {
		decide((effects) -> {
			Contention waiting = contention();
			if (waiting != null) {
				decision.accept(waiting, effects);
			}
			return true;
		});
	}

	private @Nullable Contention contention() {
		Attempt begun = this.first;
		if (begun != null) {
			this.first = null;
			this.contention = new Contention(this, begun);
		}
		return this.contention;
	}

	/**
	 * Enter the queue, or the lock if the owner has it already.
	 * @return false if this queue is not in use any more and a new one must be taken
	 */
	public boolean enter(Waiter waiter) {
		Attempt alone = enterFree(waiter);
		if (alone != null) {
			send(alone);
			if (alone.answer == null || waiter.deadline < alone.overdueAt) {
				WaiterTimer.watch(waiter);
			}
			return true;
		}
		boolean alive = decide((effects) -> {
			if (this.dead) {
				return false;
			}
			waiter.place = this;
			if (!enterAgain(waiter, effects)) {
				join(waiter, effects);
			}
			return true;
		});
		WaiterTimer.watch(waiter);
		return alive;
	}

	/**
	 * Enter a free queue. An only waiter makes an attempt and nothing else. It needs no
	 * timer if the attempt has one that fires before.
	 */
	private synchronized @Nullable Attempt enterFree(Waiter waiter) {
		if (isFree() && isPlain() && !this.index.instance.isClosed()) {
			waiter.place = this;
			this.first = new Attempt(newGrant(null, waiter.terms), waiter, true,
					waiter.isOnce() ? Duration.ZERO : this.index.instance.entryTtl, 0);
			return this.first;
		}
		return null;
	}

	private void join(Waiter waiter, AfterUnlock effects) {
		if (this.index.instance.isClosed()) {
			effects.add(() -> waiter.settle(this::closed));
			return;
		}
		forgetLost();
		Contention waiting = contention();
		if (waiting == null) {
			waiting = new Contention(this);
			this.contention = waiting;
		}
		waiting.join(waiter, effects);
	}

	/** Return the reason why a waiter gets nothing once its budget is used up. */
	synchronized Failure timeOutReason(Waiter waiter) {
		Contention waiting = contention();
		AcquireAttempts current = attempts();
		LockStoreException cause = (waiting != null && current != null) ? waiting.failure() : null;
		// An outage is never reported as a busy lock, nor a busy lock as an outage. The
		// lock is busy if the last answer is no failure and one has come since the waiter
		// came, or if the store is not asked because another instance is let in.
		if (cause == null && !waiter.isEntering()
				&& (current == null || current.lastBusy != null || !current.isAttempted() || waiter.storeAnswered
						|| (waiting != null && waiting.lastWord.isAnsweredSince(waiter.startedAt)))) {
			return busy(waiter);
		}
		return () -> Failure.noUsableAnswer(this.index.instance.store, keys(),
				waiter.waited(this.index.instance.clock.nanos()), cause);
	}

	private @Nullable AcquireAttempts attempts() {
		Contention waiting = contention();
		return (waiting != null) ? waiting.attempts : null;
	}

	Failure busy(Waiter waiter) {
		AcquireAttempts current = attempts();
		return this.index.holders.busy(waiter, keys(), this.held, (current != null) ? current.lastBusy : null);
	}

	/**
	 * Settle a waiter that gives up. If this fails, it is settled by then, or will be at
	 * once.
	 */
	boolean giveUp(Waiter waiter, Failure reason) {
		if (leave(waiter)) {
			return waiter.settle(reason);
		}
		Hold entered = waiter.entered();
		if (entered != null && waiter.settle(reason)) {
			drop(entered);
			return true;
		}
		return false;
	}

	/**
	 * Remove a waiter.
	 * @return false if it has been served
	 */
	boolean leave(Waiter waiter) {
		return decide((effects) -> {
			Contention waiting = contention();
			return waiting != null && waiting.leave(waiter, effects);
		});
	}

	public synchronized List<Waiter> waiting() {
		Attempt alone = this.first;
		return (alone != null) ? List.of(alone.head) : (this.contention != null) ? this.contention.all() : List.of();
	}

	/**
	 * Wake up the head: the lock may have become free, for this request or, if
	 * {@code null}, for any.
	 */
	public void wakeUp(@Nullable String request) {
		contended((waiting, effects) -> waiting.wakeUp(request, effects));
	}

	/** Wake-ups may not arrive from here on. */
	public void wakeUpsLost() {
		contended((waiting, effects) -> waiting.wakeUpsLost());
	}

	/** A release has given the lock to a request. */
	public void claimed(String request, long token) {
		contended((waiting, effects) -> waiting.claimed(request, token, effects));
	}

	/**
	 * Have the store confirm grants, held or contended for, because it may have ended
	 * them.
	 * @param request the only request, {@code null} for all
	 * @return the held grants among them
	 */
	public synchronized List<Grant> ask(@Nullable String request) {
		long now = this.index.instance.clock.nanos();
		List<Grant> held = new ArrayList<>();
		// Without lambdas, whose classes would be loaded in the first contended call.
		for (Grant grant : allHeld()) {
			if (grant.isOf(request)) {
				grant.ask(now);
				held.add(grant);
			}
		}
		AcquireAttempts current = (this.contention != null) ? this.contention.attempts : null;
		Grant wanted = (this.first != null) ? this.first.grant : (current != null) ? current.grant() : null;
		if (wanted != null && wanted.isOf(request)) {
			wanted.ask(now);
		}
		return held;
	}

	/** Doubt the answers of the store: it has to confirm the held grants. */
	public void doubted() {
		contended(Contention::doubted);
		allHeld().forEach((grant) -> grant.renewAt(0));
	}

	/** Fail all waiters. */
	public void close() {
		contended((waiting, effects) -> waiting.failAll(this::closed, effects));
	}

	private LockRegistryClosedException closed() {
		return new LockRegistryClosedException(keys().get(0).name(), LockKeys.text(keys()));
	}

	/** The timer of a grant that is contended for has fired. */
	void alarm(Grant contended, long now) {
		contended((waiting, effects) -> waiting.alarm(contended, now, effects));
	}

	/** Send an attempt, now or in its turn. Called outside the monitor. */
	void send(Attempt attempt) {
		attempt.begin();
		if (!this.index.instance.isCalm()) {
			Passage passage = new Passage(attempt.key(), false, attempt.until(), (own) -> send(attempt, own),
					() -> waits(attempt), () -> answered(attempt, null, new CancellationException()));
			if (this.index.instance.traffic.enter(passage, (entered) -> attempt.passage = entered)) {
				return;
			}
		}
		send(attempt, true);
	}

	private CompletableFuture<?> send(Attempt attempt, boolean ownThread) {
		boolean late = attempt.passage != null;
		if (late) {
			attempt.sentAt = this.index.instance.clock.nanos();
		}
		CompletableFuture<AcquireOutcome> sent = (late && !expects(attempt))
				? CompletableFuture.failedFuture(new CancellationException()) : ask(attempt, ownThread);
		if (!sent.isDone()) {
			awaiting(attempt, sent);
		}
		sent.whenComplete((outcome, ex) -> landed(attempt, outcome, ex));
		return sent;
	}

	private CompletableFuture<AcquireOutcome> ask(Attempt attempt, boolean ownThread) {
		return (ownThread && attempt.head.lends())
				? attempt.head.lendThread(attempt.grant.patience(), () -> ask(attempt)) : ask(attempt);
	}

	private CompletableFuture<AcquireOutcome> ask(Attempt attempt) {
		return this.index.instance.send((store) -> store.acquire(attempt.command(beside(attempt))));
	}

	/**
	 * Return the exclusive request by which the owner of a reader has its keys already.
	 */
	private @Nullable RequestId beside(Attempt attempt) {
		Object reader = (mode() == LockMode.READ) ? attempt.head.owner : null;
		return (reader != null) ? beside(keys(), reader) : null;
	}

	private @Nullable RequestId beside(List<LockKey> wanted, Object reader) {
		Grant writer = this.index.reentrance.beside(wanted, reader);
		return (writer != null && of(writer).keepsRequest(writer)) ? writer.request() : null;
	}

	/** Return whether an owner that wants to read has the keys for itself already. */
	boolean hasBeside(List<LockKey> wanted, Object reader) {
		return beside(wanted, reader) != null;
	}

	/** An attempt was answered, perhaps after it was given up. */
	private void landed(Attempt attempt, @Nullable AcquireOutcome outcome, @Nullable Throwable ex) {
		try {
			answered(attempt, outcome, ex);
		}
		finally {
			this.index.instance.landed(attempt.key(), attempt.passage, outcome instanceof AcquireOutcome.Granted, ex);
		}
	}

	/** Return whether an attempt was not given up before it was sent. */
	private synchronized boolean expects(Attempt attempt) {
		return this.first == attempt || (this.contention != null && this.contention.attempts != null
				&& this.contention.attempts.expects(attempt));
	}

	/** An attempt waits for its turn at its node. */
	private synchronized void waits(Attempt attempt) {
		if (this.first == attempt && attempt.answer == null) {
			this.index.instance.timers.schedule(attempt.grant, attempt.overdueAt);
		}
		else if (this.contention != null && this.contention.attempts != null) {
			this.contention.attempts.waits(attempt);
		}
	}

	/** An attempt was sent, and is not answered yet. */
	private synchronized void awaiting(Attempt attempt, CompletableFuture<AcquireOutcome> answer) {
		attempt.answer = answer;
		if (this.first == attempt) {
			this.index.instance.timers.schedule(attempt.grant, attempt.overdueAt);
		}
		else if (this.contention != null && this.contention.attempts != null) {
			this.contention.attempts.awaiting(attempt, answer);
		}
	}

	private void answered(Attempt attempt, @Nullable AcquireOutcome outcome, @Nullable Throwable ex) {
		Runnable granted = (outcome instanceof AcquireOutcome.Granted given) ? holdFirst(attempt, given) : null;
		if (granted != null) {
			granted.run();
		}
		else {
			this.index.names.met(outcome);
			contended((waiting, effects) -> waiting.answered(attempt, outcome, ex, effects));
		}
	}

	private synchronized @Nullable Runnable holdFirst(Attempt attempt, AcquireOutcome.Granted answer) {
		long now = this.index.instance.clock.nanos();
		if (this.first != attempt || attempt.grant.isInDoubt() || now >= attempt.validUntil()) {
			return null;
		}
		this.first = null;
		return hold(attempt, attempt.head, answer, now);
	}

	/**
	 * Release a grant whose last hold was closed, or hand its lock on to a waiter.
	 * @return completes when the store has answered, or at the time-out
	 */
	private CompletableFuture<Void> release(Grant closed) {
		if (handOn(closed)) {
			return DONE;
		}
		long validUntil = closed.leave(this.index.instance.clock.nanos(), Grant.RELEASING);
		boolean held = validUntil >= 0;
		if (!held && (LostRequest.isOver(closed) || LostRequest.isToRunOut(closed))) {
			return DONE;
		}
		if (held) {
			// Not for a lost lease, whose timer has yet to notify.
			this.index.instance.timers.cancel(closed);
		}
		CompletableFuture<Void> ended = EndCommand.release(closed, validUntil, (late, failure) -> {
			if (late) {
				wakeUpLines(true);
			}
			else {
				released(closed, failure);
			}
		});
		FairSigns.Place<KeyQueue> place = fairPlace();
		KeyQueue next = (held && place != null) ? place.signs.takeTurn() : null;
		if (next != null) {
			next.wakeUp(null);
		}
		return held ? ended : DONE;
	}

	/**
	 * End a request that may have been applied, or may still be.
	 * @param refused {@code true} if the store has refused each attempt, so that it keeps
	 * at most the waiter entry of the request
	 */
	void abandon(Grant ended, boolean refused) {
		EndCommand.abandon(ended, refused, (late, failure) -> wakeUpLines(late));
	}

	/**
	 * End a request that has a lock which its caller must not get.
	 * @param successor the request with which its caller goes on
	 * @param waiting the time for which the successor keeps the position in the line, or
	 * zero for no position
	 * @return completes when the store has answered, or at the time-out
	 */
	CompletableFuture<Void> replace(Grant ended, Grant successor, Duration waiting) {
		return EndCommand.replace(ended, successor, waiting, (late, failure) -> wakeUpLines(late));
	}

	/**
	 * Hand the lock on to the next caller of this instance; return whether it has got it.
	 */
	private boolean handOn(Grant closed) {
		return this.contention != null && decide((effects) -> {
			Contention waiting = contention();
			boolean handedOn = waiting != null && waiting.handOn((next) -> handOn(closed, next), effects);
			if (handedOn && waiting != null && waiting.head() != null) {
				Objects.requireNonNull(this.held).askLater();
			}
			return handedOn;
		});
	}

	/**
	 * Let a waiter enter the held lock, or a part of it, if its owner has that lock.
	 * @return {@code true} if the waiter has entered or was refused
	 */
	boolean enterPart(Waiter waiter) {
		boolean entered = decide((effects) -> enterAgain(waiter, effects));
		WaiterTimer.watch(waiter);
		return entered;
	}

	/**
	 * A grant does not hold the lock any more.
	 * @param confirmed {@code true} if the store has confirmed that
	 * @param failure why it has not, if it has failed
	 */
	public void ended(Grant ended, boolean confirmed, @Nullable LockStoreException failure) {
		this.index.instance.holdEnds();
		if (mode().isExclusive()) {
			wakeUpLines(false);
		}
		synchronized (this) {
			if (this.contention != null && confirmed) {
				this.contention.lastWord.released(this.index.instance.clock.nanos());
			}
			else if (this.contention != null && failure != null) {
				this.contention.lastWord.failed(failure);
			}
			forget(ended);
			changed();
			if (this.dead) {
				return;
			}
		}
		contended(Contention::contend);
	}

}
