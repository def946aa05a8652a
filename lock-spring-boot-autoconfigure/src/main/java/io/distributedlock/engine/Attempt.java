package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/** One attempt to acquire a lock, from the decision to make it to its answer. */
final class Attempt implements Runnable, BiConsumer<@Nullable AcquireOutcome, @Nullable Throwable> {

	private final AcquireAttempts attempts;

	private final Waiter head;

	private final boolean first;

	private final boolean leaveEntry;

	private long sentAt;

	/** Guarded by the queue. */
	private @Nullable CompletableFuture<AcquireOutcome> answer;

	/**
	 * Create an attempt.
	 * @param head the waiter that it is made for
	 * @param first whether it is the first one of its request
	 * @param leaveEntry whether the store is to keep a waiter entry if the lock is busy
	 */
	Attempt(AcquireAttempts attempts, Waiter head, boolean first, boolean leaveEntry) {
		this.attempts = attempts;
		this.head = head;
		this.first = first;
		this.leaveEntry = leaveEntry;
	}

	AcquireAttempts attempts() {
		return this.attempts;
	}

	Grant grant() {
		return this.attempts.grant();
	}

	long sentAt() {
		return this.sentAt;
	}

	/** Lifetime of the waiter entry left in the store; zero leaves none. */
	Duration waiting() {
		return this.leaveEntry ? this.attempts.queue.instance().entryTtl : Duration.ZERO;
	}

	/** Send the attempt. Called outside the monitor. */
	@Override
	public void run() {
		this.sentAt = this.attempts.queue.instance().now();
		CompletableFuture<AcquireOutcome> sent = this.head.lendThread(this.attempts.patience(), this::send);
		if (!sent.isDone()) {
			this.attempts.queue.contended((waiting, effects) -> waiting.awaiting(this, sent));
		}
		sent.whenComplete(this);
	}

	/** What the store throws is an answer as well, an Error too. */
	private CompletableFuture<AcquireOutcome> send() {
		try {
			return this.attempts.queue.instance().store.acquire(command());
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private AcquireCommand command() {
		KeyQueue queue = this.attempts.queue;
		LockTerms terms = this.attempts.terms();
		Object reader = (terms.mode() == LockMode.READ) ? this.head.owner : null;
		RequestId beside = (reader != null) ? queue.queues.reentrance.beside(queue.keys(), reader) : null;
		return new AcquireCommand(queue.keys(), this.attempts.grant().request(), terms.mode(), terms.permits(), beside,
				terms.ttl(), terms.keepFor(), waiting(), queue.instance().highestToken(), false);
	}

	void sent(CompletableFuture<AcquireOutcome> answer) {
		this.answer = answer;
	}

	/** Cancel the command, if it is on its way. */
	void cancel(AfterUnlock effects) {
		CompletableFuture<AcquireOutcome> sent = this.answer;
		if (sent != null) {
			effects.add(() -> sent.cancel(true));
		}
	}

	@Override
	public void accept(@Nullable AcquireOutcome outcome, @Nullable Throwable ex) {
		this.attempts.queue.contended((waiting, effects) -> waiting.answered(this, outcome, ex, effects));
	}

	/**
	 * The store refuses what was sent once, and that within the lease: it knows a request
	 * that was not made here.
	 */
	void refused(long now) {
		long ttl = this.attempts.grant().ttlNanos();
		if (this.first && now - this.sentAt < ttl - LockTerms.drift(ttl)) {
			this.attempts.queue.instance().doubt.distrust();
		}
	}

}
