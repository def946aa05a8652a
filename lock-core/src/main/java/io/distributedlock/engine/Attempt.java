package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import io.distributedlock.LockMode;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/** One attempt to acquire a lock, from the decision to make it to its answer. */
final class Attempt implements NodeCommand, Runnable, BiConsumer<@Nullable AcquireOutcome, @Nullable Throwable> {

	/** A message may take so long, and the renewal that follows it. */
	private static final long SHORTEST_CLAIM_NANOS = 100_000_000;

	/** A claim of which less than this part is left is confirmed before it is used. */
	private static final int PARTS_OF_CLAIM = 3;

	private final Asker asker;

	final Grant grant;

	final Waiter head;

	/** Whether it is the first one of its request. */
	private final boolean first;

	/** Lifetime of the waiter entry left in the store; zero leaves none. */
	final Duration waiting;

	/** How many tokens are reserved for callers of this instance that come next. */
	final int spareTokens;

	/** The token by which a release has given the lock to the request, or zero. */
	final long claimedToken;

	/** Whether a release has given the lock to the request, as far as is known. */
	boolean given;

	/** Set when it is sent, which is before it is answered. */
	long sentAt;

	/** When it is given up. */
	long overdueAt;

	/** Its way, where its node is in trouble. */
	private volatile @Nullable Passage passage;

	/** There once it is on its way; guarded by the queue. */
	@Nullable CompletableFuture<AcquireOutcome> answer;

	Attempt(Asker asker, Grant grant, Waiter head, boolean first, Duration waiting, int spareTokens) {
		this.asker = asker;
		this.grant = grant;
		this.head = head;
		this.first = first;
		this.waiting = waiting;
		this.spareTokens = spareTokens;
		this.claimedToken = 0;
	}

	/**
	 * What a release has made of the last attempt that was answered with "busy".
	 * @param sentAt when that was sent
	 */
	Attempt(Asker asker, Grant grant, Waiter head, long claimedToken, long sentAt) {
		this.asker = asker;
		this.grant = grant;
		this.head = head;
		this.first = false;
		this.waiting = Duration.ZERO;
		this.spareTokens = 0;
		this.claimedToken = claimedToken;
		this.given = true;
		this.sentAt = sentAt;
	}

	/** Whether the store is to keep a waiter entry if the lock is busy. */
	boolean leavesEntry() {
		return !this.waiting.isZero();
	}

	/** The end of the lease that the store has given, drift taken off. */
	long validUntil() {
		long lease = (this.claimedToken > 0) ? claimNanos() : this.grant.ttlNanos();
		return this.sentAt + lease - LockTerms.drift(lease);
	}

	/** Whether so much is left of a claim that it need not be confirmed first. */
	boolean isUsable(long now) {
		return validUntil() - now > claimNanos() / PARTS_OF_CLAIM;
	}

	private long claimNanos() {
		return claimNanos(this.grant.queue, this.grant.terms());
	}

	/**
	 * How long a release gives the lock to a waiter entry, or zero if that is only woken.
	 */
	static long claimNanos(GrantContext queue, LockTerms terms) {
		long nanos = Math.min(queue.instance().longestClaimNanos, terms.ttlNanos());
		return (handsOn(queue, terms) && nanos >= SHORTEST_CLAIM_NANOS) ? nanos : 0;
	}

	/** Whether a caller that leaves may hand the lock on, here or in the store. */
	static boolean handsOn(GrantContext queue, LockTerms terms) {
		return queue.isPlain() && terms.keepFor().isZero();
	}

	/** Where the lock comes from if it is granted. */
	AcquiredFrom from() {
		return this.given ? AcquiredFrom.OTHER_INSTANCE : AcquiredFrom.STORE;
	}

	/** From when the first renewal is reckoned; that of a claim is due at once. */
	long renewableFrom() {
		return (this.claimedToken > 0) ? this.sentAt - this.grant.ttlNanos() : this.sentAt;
	}

	/** Send the attempt, now or in its turn. Called outside the monitor. */
	@Override
	public void run() {
		this.sentAt = this.grant.now();
		this.overdueAt = this.sentAt + this.grant.patience();
		this.grant.instance().send(this);
	}

	@Override
	public LockKey key() {
		return this.head.keys.get(0);
	}

	@Override
	public boolean ends() {
		return false;
	}

	@Override
	public long until() {
		return this.head.isOnce() ? this.overdueAt : this.head.deadline;
	}

	@Override
	public void entered(Passage passage) {
		this.passage = passage;
	}

	@Override
	public void waits() {
		this.asker.waits(this);
	}

	@Override
	public void dropped() {
		this.asker.answered(this, null, new CancellationException());
	}

	@Override
	public CompletableFuture<?> send(boolean ownThread) {
		if (this.passage != null) {
			this.sentAt = this.grant.now();
		}
		CompletableFuture<AcquireOutcome> sent = (this.passage != null && !this.asker.expects(this))
				? CompletableFuture.failedFuture(new CancellationException())
				: ownThread ? this.head.lendThread(this.grant.patience(), this::ask) : ask();
		if (!sent.isDone()) {
			this.asker.awaiting(this, sent);
		}
		sent.whenComplete(this);
		return sent;
	}

	/** Whether it waits for its turn, or has had it. */
	boolean hasPassage() {
		return this.passage != null;
	}

	/** Let it not be sent any more; false if that may have been done. */
	boolean withdraw() {
		Passage current = this.passage;
		return current != null && current.withdraw();
	}

	/** No caller waits for the answer any more. Called outside the monitor. */
	void giveUp(CompletableFuture<AcquireOutcome> unanswered) {
		if (!this.grant.instance().traffic.givenUp(this, this.passage, this.sentAt)) {
			unanswered.cancel(true);
		}
	}

	/** What the store throws is an answer as well, an Error too. */
	private CompletableFuture<AcquireOutcome> ask() {
		try {
			return this.grant.instance().store.acquire(command());
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private AcquireCommand command() {
		LockTerms terms = this.grant.terms();
		Object reader = (terms.mode() == LockMode.READ) ? this.head.owner : null;
		RequestId beside = (reader != null) ? this.asker.beside(reader) : null;
		return new AcquireCommand(this.head.keys, this.grant.request(), terms.mode(), terms.permits(), beside,
				terms.ttl(), terms.keepFor(), this.waiting, this.grant.instance().highestToken(), false,
				this.spareTokens, leavesEntry() ? Duration.ofNanos(claimNanos()) : Duration.ZERO);
	}

	@Override
	public void accept(@Nullable AcquireOutcome outcome, @Nullable Throwable ex) {
		try {
			this.asker.answered(this, outcome, ex);
		}
		finally {
			this.grant.instance().landed(this, this.passage, outcome instanceof AcquireOutcome.Granted, ex);
		}
	}

	/**
	 * The store refuses what was sent once, and that within the lease: it knows a request
	 * that was not made here.
	 */
	void refused(long now) {
		if (this.first && now < validUntil()) {
			this.grant.instance().clock.distrust();
		}
	}

	/** What asks the store, and is told of what becomes of that. */
	interface Asker {

		/** The exclusive request by which the owner of a reader has its keys already. */
		@Nullable RequestId beside(Object reader);

		/** Whether an attempt was not given up before it was sent. */
		boolean expects(Attempt attempt);

		/** An attempt waits for its turn at its node. */
		void waits(Attempt attempt);

		/** An attempt has been sent and not been answered yet. */
		void awaiting(Attempt attempt, CompletableFuture<AcquireOutcome> answer);

		/** An attempt was answered, perhaps after it was given up. */
		void answered(Attempt attempt, @Nullable AcquireOutcome outcome, @Nullable Throwable ex);

	}

}
