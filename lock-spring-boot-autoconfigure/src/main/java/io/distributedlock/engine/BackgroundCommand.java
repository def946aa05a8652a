package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.distributedlock.LockStoreException;
import io.distributedlock.engine.timer.HeapTimer;
import org.jspecify.annotations.Nullable;

/**
 * A release or an abandon, sent until the store has acknowledged it or it can no longer
 * matter. A refusal may pass as an outage does, such as a permission that is missing for
 * a moment. A command that succeeds late may have freed the lock, or removed the waiter
 * entry of a caller of this instance, so those callers attempt again then. Its timer is
 * the time-out of the command in flight, or the next attempt.
 */
abstract class BackgroundCommand extends HeapTimer implements BiConsumer<@Nullable Object, @Nullable Throwable> {

	private static final long FIRST_BACK_OFF_NANOS = 50_000_000;

	private static final long LAST_BACK_OFF_NANOS = 1_000_000_000;

	final Grant grant;

	private final AtomicInteger underWay;

	private final String what;

	/** After this time the store has forgotten the request by itself. */
	private final long until;

	private final CompletableFuture<Void> firstAnswer = new CompletableFuture<>();

	private long backOffNanos = FIRST_BACK_OFF_NANOS;

	/** When the timer is meant to fire; one that comes earlier was set for the past. */
	private long wakeAt;

	private boolean answered;

	private boolean over;

	/** Whether the store may refuse it for good: it has nothing that is to be freed. */
	private boolean endsWhenRefused;

	private @Nullable CompletableFuture<?> flying;

	/**
	 * Create a command.
	 * @param grant the grant that ends with it
	 * @param underWay counts the commands that have not ended
	 * @param what what it does to a lock, for messages
	 * @param until when it does not matter any more
	 */
	BackgroundCommand(Grant grant, AtomicInteger underWay, String what, long until) {
		this.grant = grant;
		this.underWay = underWay;
		this.what = what;
		this.until = until;
	}

	/** Call the store. */
	abstract CompletableFuture<?> call();

	/**
	 * The first try was answered, or was not in time.
	 * @param value what the store answered, if it did
	 * @param failure what went wrong, if anything
	 */
	abstract void settled(@Nullable Object value, @Nullable LockStoreException failure);

	final void endWhenRefused() {
		this.endsWhenRefused = true;
	}

	private Instance instance() {
		return this.grant.instance();
	}

	/**
	 * Send the command.
	 * @return completes when the first try is settled
	 */
	final CompletableFuture<Void> start() {
		this.underWay.incrementAndGet();
		send();
		return this.firstAnswer;
	}

	private void send() {
		CompletableFuture<?> sent = ask();
		synchronized (this) {
			this.flying = sent;
			if (!sent.isDone()) {
				schedule(instance().now() + instance().commandTimeoutNanos());
			}
		}
		sent.whenComplete(this);
		if (instance().isStopped()) {
			sent.cancel(true);
		}
	}

	/** What the store throws is an answer as well, an Error too. */
	private CompletableFuture<?> ask() {
		try {
			return call();
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
	public final void fire(long now) {
		CompletableFuture<?> unanswered;
		synchronized (this) {
			if (this.over || now < this.wakeAt) {
				return;
			}
			unanswered = this.flying;
		}
		if (unanswered != null) {
			unanswered.cancel(true);
		}
		else {
			send();
		}
	}

	@Override
	public final void abort() {
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
	public final void accept(@Nullable Object value, @Nullable Throwable ex) {
		LockStoreException failure = (ex != null) ? Failure.ofStore(instance().store, this.what, this.grant.keys(), ex)
				: null;
		boolean first;
		boolean ended;
		synchronized (this) {
			this.flying = null;
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
			this.underWay.decrementAndGet();
			instance().quiescence.signal();
		}
		if (first) {
			tell(value, failure);
		}
		else if (ended) {
			this.grant.queue.wakeUpLines(true);
		}
	}

	private void tell(@Nullable Object value, @Nullable LockStoreException failure) {
		try {
			settled(value, failure);
			this.firstAnswer.complete(null);
		}
		catch (Throwable ex) {
			this.firstAnswer.completeExceptionally(ex);
		}
	}

	private boolean isWorthAnotherTry(@Nullable LockStoreException failure) {
		return failure != null && !instance().isStopped() && instance().now() + this.backOffNanos < this.until
				&& (!this.endsWhenRefused || failure.getKind() == LockStoreException.Kind.UNAVAILABLE);
	}

}
