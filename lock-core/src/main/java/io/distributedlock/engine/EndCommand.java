package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.HeapTimer;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import org.jspecify.annotations.Nullable;

/**
 * The release of a lock, or the end of a request that may have been applied: sent until
 * the store has acknowledged it or it can no longer matter. A refusal may pass as an
 * outage does, such as a permission that is missing for a moment. A command that succeeds
 * late may have freed the lock, or removed the waiter entry of a caller of this instance,
 * so those callers attempt again then. Its timer is the time-out of the command in
 * flight, or the next attempt.
 */
final class EndCommand extends HeapTimer implements NodeCommand, BiConsumer<@Nullable Object, @Nullable Throwable> {

	private static final long FIRST_BACK_OFF_NANOS = 50_000_000;

	private static final long LAST_BACK_OFF_NANOS = 1_000_000_000;

	/** The longest command time-out that a pending abandon may have to outlive. */
	private static final long ABANDON_MARGIN_NANOS = 5_000_000_000L;

	private final Grant grant;

	/** Nothing for the release of what was used. */
	private final @Nullable AbandonCommand abandon;

	/** Whether it releases a lock, or ends a request that no caller has had it by. */
	private final boolean releases;

	/** When a lease that was held until now would have ended; negative for none. */
	private final long validUntil;

	/** Whether the store may refuse it for good: it has nothing that is to be freed. */
	private final boolean endsWhenRefused;

	private final CompletableFuture<Void> firstAnswer = new CompletableFuture<>();

	/** After this time the store has forgotten the request by itself. */
	private final long until;

	private long backOffNanos = FIRST_BACK_OFF_NANOS;

	/** When the timer is meant to fire; one that comes earlier was set for the past. */
	private long wakeAt;

	private boolean answered;

	private boolean over;

	private @Nullable CompletableFuture<?> flying;

	/** When it was sent last. */
	private volatile long sentAt;

	/** Its way, while its node is in trouble. */
	private volatile @Nullable Passage passage;

	/** Whether it waits for its turn there. */
	private boolean waits;

	/** The release of a lock. */
	private EndCommand(Grant grant, long validUntil) {
		this(grant, grant.isUsed() ? null : new AbandonCommand(grant.keys(), grant.request()), true, validUntil, false);
	}

	/** The end of a request. */
	EndCommand(Grant grant, AbandonCommand abandon, boolean endsWhenRefused) {
		this(grant, abandon, false, -1, endsWhenRefused);
	}

	private EndCommand(Grant grant, @Nullable AbandonCommand abandon, boolean releases, long validUntil,
			boolean endsWhenRefused) {
		this.grant = grant;
		this.abandon = abandon;
		this.releases = releases;
		this.validUntil = validUntil;
		this.endsWhenRefused = endsWhenRefused;
		long margin = releases ? 0 : grant.instance().commandTimeoutNanos() + ABANDON_MARGIN_NANOS;
		this.until = grant.now() + grant.longestTtlNanos() + margin;
	}

	/**
	 * Release a lock. If nothing ran under it, it is not kept either.
	 * @return completes when the store has answered, or has not in time
	 */
	static CompletableFuture<Void> release(Grant grant) {
		Instance instance = grant.instance();
		long validUntil = grant.leave(instance.now(), Validity.RELEASING);
		boolean held = validUntil >= 0;
		if (!held && LostRequest.isOver(grant)) {
			return GrantLease.DONE;
		}
		if (held) {
			// The timer of a lease that was lost has yet to tell so.
			instance.loop.cancel(grant);
		}
		CompletableFuture<Void> ended = new EndCommand(grant, validUntil).start();
		return held ? ended : GrantLease.DONE;
	}

	/**
	 * End a request that may have been applied, or may still be.
	 * @param refused whether the store has refused each attempt, so that it keeps at most
	 * the waiter entry of the request
	 */
	static void abandon(Grant grant, boolean refused) {
		new EndCommand(grant, new AbandonCommand(grant.keys(), grant.request()), refused).start();
	}

	/**
	 * End a request that has a lock which its caller is not to get.
	 * @param successor the request that its caller goes on with
	 * @param waiting how long the successor has the place of the ended request, or zero
	 * if it has none
	 * @return completes when the store has answered, or has not in time
	 */
	static CompletableFuture<Void> replace(Grant ended, Grant successor, Duration waiting) {
		return new EndCommand(ended, new AbandonCommand(ended.keys(), ended.request(),
				waiting.isZero() ? null : successor.request(), waiting), false)
			.start();
	}

	private Instance instance() {
		return this.grant.instance();
	}

	private AtomicInteger underWay() {
		return this.releases ? instance().releases : instance().abandons;
	}

	/**
	 * Send the command.
	 * @return completes when the first try is settled
	 */
	CompletableFuture<Void> start() {
		underWay().incrementAndGet();
		send();
		return this.firstAnswer;
	}

	private void send() {
		this.passage = null;
		synchronized (this) {
			this.waits = true;
		}
		instance().send(this);
	}

	@Override
	public LockKey key() {
		return this.grant.keys().get(0);
	}

	@Override
	public boolean ends() {
		return true;
	}

	@Override
	public long until() {
		return Long.MAX_VALUE;
	}

	@Override
	public void entered(Passage entered) {
		this.passage = entered;
	}

	/** The first answer is due all the same. */
	@Override
	public synchronized void waits() {
		if (this.waits && !this.answered) {
			schedule(instance().now() + instance().commandTimeoutNanos());
		}
	}

	@Override
	public CompletableFuture<?> send(boolean ownThread) {
		this.sentAt = instance().now();
		CompletableFuture<?> sent = (this.passage != null && this.sentAt >= this.until)
				? CompletableFuture.failedFuture(new CancellationException()) : ask();
		synchronized (this) {
			this.waits = false;
			this.flying = sent;
			if (!sent.isDone()) {
				schedule(this.sentAt + instance().commandTimeoutNanos());
			}
		}
		sent.whenComplete(this);
		if (instance().isStopped()) {
			sent.cancel(true);
		}
		return sent;
	}

	@Override
	public void dropped() {
		accept(null, new CancellationException());
	}

	/** What the store throws is an answer as well, an Error too. */
	private CompletableFuture<?> ask() {
		try {
			return (this.abandon != null) ? instance().store.abandon(this.abandon) : instance().store
				.release(new ReleaseCommand(this.grant.keys(), this.grant.request(), this.grant.marks()));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void schedule(long due) {
		this.wakeAt = due;
		instance().loop.schedule(this, due);
	}

	@Override
	public void fire(long now) {
		CompletableFuture<?> unanswered;
		boolean first;
		synchronized (this) {
			if (this.over || now < this.wakeAt) {
				return;
			}
			unanswered = this.flying;
			first = this.waits && !this.answered;
			this.answered |= first;
		}
		if (unanswered != null) {
			instance().traffic.givenUp(this, this.passage, this.sentAt);
			unanswered.cancel(true);
		}
		else if (first) {
			tell(null, failure(null));
		}
		else if (!isWaiting()) {
			send();
		}
	}

	private synchronized boolean isWaiting() {
		return this.waits;
	}

	@Override
	public void abort() {
		CompletableFuture<?> unanswered;
		synchronized (this) {
			unanswered = this.flying;
		}
		if (unanswered != null) {
			unanswered.cancel(true);
		}
	}

	/** The one try in flight was answered, or cancelled because it was not in time. */
	@Override
	public void accept(@Nullable Object answer, @Nullable Throwable ex) {
		Passage landed = this.passage;
		LockStoreException failure = (ex != null) ? failure(ex) : null;
		boolean first;
		boolean ended;
		synchronized (this) {
			this.flying = null;
			this.waits = false;
			instance().loop.cancel(this);
			first = !this.answered;
			this.answered = true;
			ended = !isWorthAnotherTry(failure);
			this.over = ended;
			if (!ended) {
				schedule(instance().now() + this.backOffNanos);
				this.backOffNanos = Math.min(this.backOffNanos * 2, LAST_BACK_OFF_NANOS);
			}
		}
		if (ended) {
			this.grant.requestEnded();
			underWay().decrementAndGet();
			instance().signal();
		}
		if (first) {
			tell(answer, failure);
		}
		else if (ended) {
			this.grant.queue.wakeUpLines(true);
		}
		boolean written = ex == null && (answer == null || answer == Ownership.HELD);
		instance().landed(this, landed, written, ex);
	}

	private LockStoreException failure(@Nullable Throwable ex) {
		String what = (this.abandon != null) ? "abandon" : "release";
		LockStoreException failure = Failure.ofStore(instance().store, what, this.grant.keys(), ex);
		instance().counters.failed(failure);
		return failure;
	}

	private void tell(@Nullable Object answer, @Nullable LockStoreException failure) {
		try {
			if (!this.releases) {
				this.grant.queue.wakeUpLines(false);
			}
			else if (answer instanceof Ownership ownership && isLoss(ownership)) {
				this.grant.lostAtRelease(ownership);
			}
			else if (this.grant.released()) {
				this.grant.queue.released(this.grant, failure);
			}
			this.firstAnswer.complete(null);
		}
		catch (Throwable ex) {
			this.firstAnswer.completeExceptionally(ex);
		}
	}

	/**
	 * A release that was sent in time may reach the store late, as where the server stood
	 * still: what ran under the lock had ended. An answer that is there before the end of
	 * the lease says that a clock has jumped.
	 */
	private boolean isLoss(Ownership answer) {
		boolean sentInTime = instance().now() >= this.validUntil && !this.grant.isInDoubt();
		return answer == Ownership.LOST || (answer == Ownership.EXPIRED && !sentInTime);
	}

	private boolean isWorthAnotherTry(@Nullable LockStoreException failure) {
		return failure != null && !instance().isStopped() && instance().now() + this.backOffNanos < this.until
				&& (!this.endsWhenRefused || failure.getKind() == LockStoreException.Kind.UNAVAILABLE);
	}

}
