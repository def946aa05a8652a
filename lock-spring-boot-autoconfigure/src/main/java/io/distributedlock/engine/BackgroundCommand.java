package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * A release or an abandon, sent until the store has acknowledged it or it can no longer
 * matter. Its timer is the time-out of the command in flight, or the next try.
 *
 * @param <T> what the store answers
 */
final class BackgroundCommand<T> extends HeapTimer {

	private static final long FIRST_BACK_OFF_NANOS = 50_000_000;

	private static final long LAST_BACK_OFF_NANOS = 1_000_000_000;

	private final Engine engine;

	private final String what;

	private final LockKey key;

	private final Supplier<CompletableFuture<T>> command;

	/** After this time the store has forgotten the request by itself. */
	private final long until;

	private final CompletableFuture<@Nullable LockStoreException> firstAnswer = new CompletableFuture<>();

	private long backOffNanos = FIRST_BACK_OFF_NANOS;

	private volatile @Nullable CompletableFuture<T> flying;

	BackgroundCommand(Engine engine, String what, LockKey key, Supplier<CompletableFuture<T>> command, long until) {
		this.engine = engine;
		this.what = what;
		this.key = key;
		this.command = command;
		this.until = until;
	}

	/**
	 * Send the command.
	 * @return completes with the first try: with {@code null}, or with what went wrong
	 */
	CompletableFuture<@Nullable LockStoreException> start() {
		this.engine.backgroundBegins();
		send();
		return this.firstAnswer;
	}

	private void send() {
		CompletableFuture<T> sent = this.engine.ask(this.command);
		this.flying = sent;
		if (!sent.isDone()) {
			this.engine.loop().schedule(this, this.engine.now() + this.engine.store().commandTimeout().toNanos());
		}
		sent.whenComplete((answer, ex) -> answered(ex));
	}

	@Override
	void fire(long now) {
		CompletableFuture<T> unanswered = this.flying;
		if (unanswered != null) {
			unanswered.cancel(true);
		}
		else {
			send();
		}
	}

	private void answered(@Nullable Throwable ex) {
		this.engine.loop().cancel(this);
		this.flying = null;
		LockStoreException failure = (ex != null) ? this.engine.failure(this.what, this.key, ex) : null;
		long next = this.engine.now() + this.backOffNanos;
		if (failure != null && failure.getKind() == LockStoreException.Kind.UNAVAILABLE && next < this.until) {
			this.backOffNanos = Math.min(this.backOffNanos * 2, LAST_BACK_OFF_NANOS);
			this.engine.loop().schedule(this, next);
		}
		else {
			this.engine.backgroundEnds();
		}
		this.firstAnswer.complete(failure);
	}

}
