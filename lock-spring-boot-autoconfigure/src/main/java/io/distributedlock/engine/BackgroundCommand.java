package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.engine.timer.HeapTimer;
import org.jspecify.annotations.Nullable;

/**
 * A release or an abandon, sent until the store has acknowledged it or it can no longer
 * matter. A refusal may pass as an outage does, such as a permission that is missing for
 * a moment. A command that succeeds late may have freed the lock, or removed the waiter
 * entry of a caller of this instance, so those callers attempt again then. Its timer is
 * the time-out of the command in flight, or the next attempt.
 *
 * @param <T> what the store answers
 */
final class BackgroundCommand<T> extends HeapTimer {

	private static final long FIRST_BACK_OFF_NANOS = 50_000_000;

	private static final long LAST_BACK_OFF_NANOS = 1_000_000_000;

	private final Engine engine;

	private final AtomicInteger underWay;

	private final String what;

	private final LockKeys keys;

	private final Supplier<CompletableFuture<T>> command;

	/** After this time the store has forgotten the request by itself. */
	private final long until;

	private final CompletableFuture<Answer<T>> firstAnswer = new CompletableFuture<>();

	private long backOffNanos = FIRST_BACK_OFF_NANOS;

	/** When the timer is meant to fire; one that comes earlier was set for the past. */
	private long wakeAt;

	private boolean over;

	private Runnable onOver = () -> {
	};

	/** Whether the store may refuse it for good: it has nothing that is to be freed. */
	private boolean endsWhenRefused;

	private @Nullable CompletableFuture<T> flying;

	BackgroundCommand(Engine engine, AtomicInteger underWay, String what, LockKeys keys,
			Supplier<CompletableFuture<T>> command, long until) {
		this.engine = engine;
		this.underWay = underWay;
		this.what = what;
		this.keys = keys;
		this.command = command;
		this.until = until;
	}

	BackgroundCommand<T> endingWhenRefused() {
		this.endsWhenRefused = true;
		return this;
	}

	/**
	 * Send the command.
	 * @param whenOver what to do when the store has answered it, or it is given up
	 * @return completes with the first try
	 */
	CompletableFuture<Answer<T>> start(Runnable whenOver) {
		this.onOver = whenOver;
		this.underWay.incrementAndGet();
		send();
		return this.firstAnswer;
	}

	private void send() {
		CompletableFuture<T> sent = this.engine.ask(this.command);
		synchronized (this) {
			this.flying = sent;
			if (!sent.isDone()) {
				schedule(this.engine.now() + this.engine.store().commandTimeout().toNanos());
			}
		}
		sent.whenComplete((value, ex) -> answered(sent, value, ex));
		if (this.engine.isStopped()) {
			sent.cancel(true);
		}
	}

	private void schedule(long due) {
		this.wakeAt = due;
		this.engine.loop().schedule(this, due);
	}

	@Override
	public void fire(long now) {
		CompletableFuture<T> unanswered;
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
	public void abort() {
		CompletableFuture<T> unanswered;
		synchronized (this) {
			unanswered = this.flying;
		}
		if (unanswered != null) {
			unanswered.cancel(true);
		}
	}

	private void answered(CompletableFuture<T> sent, @Nullable T value, @Nullable Throwable ex) {
		LockStoreException failure = (ex != null) ? this.engine.failure(this.what, this.keys, ex) : null;
		boolean ended;
		synchronized (this) {
			if (this.flying != sent) {
				return;
			}
			this.flying = null;
			this.engine.loop().cancel(this);
			ended = !isWorthAnotherTry(failure);
			this.over = ended;
			if (!ended) {
				schedule(this.engine.now() + this.backOffNanos);
				this.backOffNanos = Math.min(this.backOffNanos * 2, LAST_BACK_OFF_NANOS);
			}
		}
		if (ended) {
			this.onOver.run();
			this.underWay.decrementAndGet();
			this.engine.signalIdle();
		}
		if (!this.firstAnswer.complete(new Answer<>(value, failure)) && ended) {
			this.engine.wakeUp(this.keys);
		}
	}

	private boolean isWorthAnotherTry(@Nullable LockStoreException failure) {
		return failure != null && !this.engine.isStopped() && this.engine.now() + this.backOffNanos < this.until
				&& (!this.endsWhenRefused || failure.getKind() == LockStoreException.Kind.UNAVAILABLE);
	}

	/**
	 * What became of the first try.
	 *
	 * @param value what the store answered, if it did
	 * @param failure what went wrong, if anything
	 * @param <T> what the store answers
	 */
	record Answer<T>(@Nullable T value, @Nullable LockStoreException failure) {
	}

}
