package io.distributedlock.engine.internal.lease;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.instance.Passage;
import io.distributedlock.engine.internal.time.HeapTimer;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import org.jspecify.annotations.Nullable;

/**
 * The release of a lock, or the end of a request that may have been applied. It is sent
 * until the store has acknowledged it or it can no longer matter. A refusal can pass like
 * an outage, for example a permission that is missing for a moment. A command that
 * succeeds late may have freed the lock, or removed the waiter entry of callers of this
 * instance, so waiting callers attempt again then. Its timer is the time-out of the
 * command in flight, or the next try.
 */
public final class EndCommand extends HeapTimer implements BiConsumer<@Nullable Object, @Nullable Throwable> {

	private static final long FIRST_BACK_OFF_NANOS = 50_000_000;

	private static final long LAST_BACK_OFF_NANOS = 1_000_000_000;

	/** Time for which an abandon is sent beyond ttl and time-out, for a late attempt. */
	private static final long ABANDON_MARGIN_NANOS = 5_000_000_000L;

	private final Grant grant;

	private final Instance instance;

	/** The abandon to send; {@code null} for the release of a lock that was used. */
	private final @Nullable AbandonCommand abandon;

	/**
	 * {@code true} for a release, {@code false} for the end of a request without a lock.
	 */
	private final boolean releases;

	/** The end of the validity, if the lock was held until now; negative otherwise. */
	private final long validUntil;

	/** {@code true} if a refusal is final, since the store has no lock to free. */
	private final boolean endsWhenRefused;

	private final Listener listener;

	private final CompletableFuture<Void> firstAnswer = new CompletableFuture<>();

	/** After this time the store has forgotten the request by itself. */
	private final long until;

	private long backOffNanos = FIRST_BACK_OFF_NANOS;

	/** Time for which the timer is meant; an earlier one is ignored. */
	private long wakeAt;

	private boolean answered;

	private boolean over;

	private @Nullable CompletableFuture<?> flying;

	/** Time of the last send. */
	private volatile long sentAt;

	/** The passage of the command, while its node is in trouble. */
	private volatile @Nullable Passage passage;

	/** Set while it waits for its turn at the node. */
	private boolean waits;

	public EndCommand(Grant grant, @Nullable AbandonCommand abandon, boolean releases, long validUntil,
			boolean endsWhenRefused, Listener listener) {
		this.grant = grant;
		this.instance = grant.instance;
		this.abandon = abandon;
		this.releases = releases;
		this.validUntil = validUntil;
		this.endsWhenRefused = endsWhenRefused;
		this.listener = listener;
		long margin = releases ? 0 : grant.instance.commandTimeoutNanos() + ABANDON_MARGIN_NANOS;
		this.until = grant.now() + grant.longestTtlNanos() + margin;
	}

	/**
	 * Release a lock. If no code ran under it, it is not kept either. If the first answer
	 * shows a loss, or the grant was lost before, the grant has the reason, and the
	 * listener is not called for that answer.
	 * @param validUntil the end of the validity, if the lock was held until now; negative
	 * otherwise
	 * @return completes when the store has answered, or at the time-out
	 */
	public static CompletableFuture<Void> release(Grant grant, long validUntil, Listener listener) {
		AbandonCommand abandon = grant.isUsed() ? null : new AbandonCommand(grant.keys(), grant.request());
		return new EndCommand(grant, abandon, true, validUntil, false, listener).start();
	}

	/**
	 * End a request that may have been applied, or may still be.
	 * @param refused {@code true} if the store has refused each attempt, so that it keeps
	 * at most the waiter entry of the request
	 */
	public static void abandon(Grant grant, boolean refused, Listener listener) {
		new EndCommand(grant, new AbandonCommand(grant.keys(), grant.request()), false, -1, refused, listener).start();
	}

	/**
	 * End a request that has a lock which its caller must not get.
	 * @param successor the request with which its caller goes on
	 * @param waiting the time for which the successor keeps the position in the line, or
	 * zero for no position
	 * @return completes when the store has answered, or at the time-out
	 */
	public static CompletableFuture<Void> replace(Grant ended, Grant successor, Duration waiting, Listener listener) {
		AbandonCommand abandon = new AbandonCommand(ended.keys(), ended.request(),
				waiting.isZero() ? null : successor.request(), waiting);
		return new EndCommand(ended, abandon, false, -1, false, listener).start();
	}

	private AtomicInteger underWay() {
		return this.releases ? this.instance.releases : this.instance.abandons;
	}

	/**
	 * Send the command.
	 * @return completes when the first try is settled
	 */
	public CompletableFuture<Void> start() {
		underWay().incrementAndGet();
		send();
		return this.firstAnswer;
	}

	private void send() {
		synchronized (this) {
			this.waits = true;
		}
		this.passage = null;
		if (!this.instance.isCalm()) {
			Passage passage = new Passage(key(), true, Long.MAX_VALUE, (own) -> sendNow(), this::waits, this::dropped);
			if (this.instance.traffic.enter(passage, (entered) -> this.passage = entered)) {
				return;
			}
		}
		sendNow();
	}

	private LockKey key() {
		return this.grant.keys().get(0);
	}

	/** It waits for its turn. The first answer has its time-out all the same. */
	private synchronized void waits() {
		if (this.waits && !this.answered) {
			schedule(this.instance.clock.nanos() + this.instance.commandTimeoutNanos());
		}
	}

	private CompletableFuture<?> sendNow() {
		this.sentAt = this.instance.clock.nanos();
		CompletableFuture<?> sent = (this.passage != null && this.sentAt >= this.until)
				? CompletableFuture.failedFuture(new CancellationException()) : ask();
		synchronized (this) {
			this.waits = false;
			this.flying = sent;
			if (!sent.isDone()) {
				schedule(this.sentAt + this.instance.commandTimeoutNanos());
			}
		}
		sent.whenComplete(this);
		if (this.instance.isStopped()) {
			sent.cancel(true);
		}
		return sent;
	}

	private void dropped() {
		accept(null, new CancellationException());
	}

	private CompletableFuture<?> ask() {
		AbandonCommand command = this.abandon;
		return (command != null) ? this.instance.send((store) -> store.abandon(command))
				: this.instance.send((store) -> store
					.release(new ReleaseCommand(this.grant.keys(), this.grant.request(), this.grant.marks())));
	}

	private void schedule(long due) {
		this.wakeAt = due;
		this.instance.timers.schedule(this, due);
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
			this.instance.traffic.givenUp(key(), this.passage, this.sentAt);
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

	/** The try in flight was answered, or cancelled at its time-out. */
	@Override
	public void accept(@Nullable Object answer, @Nullable Throwable ex) {
		Passage landed = this.passage;
		LockStoreException failure = (ex != null) ? failure(ex) : null;
		boolean first;
		boolean ended;
		synchronized (this) {
			this.flying = null;
			this.waits = false;
			this.instance.timers.cancel(this);
			first = !this.answered;
			this.answered = true;
			ended = !isWorthAnotherTry(failure);
			this.over = ended;
			if (!ended) {
				schedule(this.instance.clock.nanos() + this.backOffNanos);
				this.backOffNanos = Math.min(this.backOffNanos * 2, LAST_BACK_OFF_NANOS);
			}
		}
		if (ended) {
			this.grant.requestEnded();
			underWay().decrementAndGet();
			this.instance.signal();
		}
		if (first) {
			tell(answer, failure);
		}
		else if (ended) {
			this.listener.ended(true, null);
		}
		boolean written = ex == null && (answer == null || answer == Ownership.HELD);
		this.instance.landed(key(), landed, written, ex);
	}

	private LockStoreException failure(@Nullable Throwable ex) {
		String what = (this.abandon != null) ? "abandon" : "release";
		LockStoreException failure = Failure.ofStore(this.instance.store, what, this.grant.keys(), ex);
		this.instance.counters.failed(failure);
		return failure;
	}

	private void tell(@Nullable Object answer, @Nullable LockStoreException failure) {
		try {
			boolean lost = this.releases && answer instanceof Ownership ownership && isLoss(ownership);
			if (lost) {
				this.grant.lostAtRelease((Ownership) Objects.requireNonNull(answer));
			}
			else if (!this.releases || this.grant.released()) {
				this.listener.ended(false, failure);
			}
			this.firstAnswer.complete(null);
		}
		catch (Throwable ex) {
			this.firstAnswer.completeExceptionally(ex);
		}
	}

	/**
	 * Return whether an answer is a loss. A release that was sent in time may reach the
	 * store late, for example after the server stood still. That is no loss: the work
	 * under the lock had ended. "Expired" before the end of the lease shows a clock jump.
	 */
	private boolean isLoss(Ownership answer) {
		return answer == Ownership.LOST || (answer == Ownership.EXPIRED && !hasRunOutMeanwhile());
	}

	/**
	 * Return whether the lease, which was held when the release was sent, has run out
	 * since then.
	 */
	private boolean hasRunOutMeanwhile() {
		return this.instance.clock.nanos() >= this.validUntil && !this.grant.isInDoubt();
	}

	private boolean isWorthAnotherTry(@Nullable LockStoreException failure) {
		return failure != null && !this.instance.isStopped()
				&& this.instance.clock.nanos() + this.backOffNanos < this.until
				&& (!this.endsWhenRefused || failure.getKind() == LockStoreException.Kind.UNAVAILABLE);
	}

	/** Gets the end of a request. Called outside all monitors. */
	@FunctionalInterface
	public interface Listener {

		/**
		 * The command was answered, or is overdue.
		 * @param late {@code true} if it was reported before, and no more tries follow:
		 * the store may have freed the lock only now
		 * @param failure why the store has not confirmed it; {@code null} if it has, and
		 * for a late report
		 */
		void ended(boolean late, @Nullable LockStoreException failure);

	}

}
