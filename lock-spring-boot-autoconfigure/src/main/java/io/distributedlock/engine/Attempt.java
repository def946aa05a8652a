package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/** One attempt to acquire a lock, from the decision to make it to its answer. */
final class Attempt implements Runnable, BiConsumer<@Nullable AcquireOutcome, @Nullable Throwable> {

	private final AcquireAttempts attempts;

	private final Caller queue;

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
	Attempt(AcquireAttempts attempts, Caller queue, Waiter head, boolean first, boolean leaveEntry) {
		this.attempts = attempts;
		this.queue = queue;
		this.head = head;
		this.first = first;
		this.leaveEntry = leaveEntry;
	}

	AcquireAttempts attempts() {
		return this.attempts;
	}

	long sentAt() {
		return this.sentAt;
	}

	/** Lifetime of the waiter entry left in the store; zero leaves none. */
	Duration waiting() {
		return this.leaveEntry ? this.queue.instance().entryTtl : Duration.ZERO;
	}

	/** Send the attempt. Called outside the monitor. */
	@Override
	public void run() {
		this.sentAt = this.queue.instance().now();
		CompletableFuture<AcquireOutcome> sent = this.head.lendThread(this.attempts.patience(), this::send);
		if (!sent.isDone()) {
			this.queue.awaiting(this, sent);
		}
		sent.whenComplete(this);
	}

	/** What the store throws is an answer as well, an Error too. */
	private CompletableFuture<AcquireOutcome> send() {
		try {
			return this.queue.instance().store.acquire(command());
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private AcquireCommand command() {
		LockTerms terms = this.attempts.terms;
		Object reader = (terms.mode() == LockMode.READ) ? this.head.owner : null;
		RequestId beside = (reader != null) ? this.queue.beside(reader) : null;
		return new AcquireCommand(this.queue.keys().list(), this.attempts.grant.request(), terms.mode(),
				terms.permits(), beside, terms.ttl(), terms.keepFor(), waiting(), this.queue.instance().highestToken(),
				false);
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
		this.queue.answered(this, outcome, ex);
	}

	/** What the answer means. Called under the monitor. */
	Verdict judge(@Nullable AcquireOutcome outcome, @Nullable Throwable ex, long now) {
		if (outcome instanceof AcquireOutcome.Granted granted) {
			return granted(granted.token(), now);
		}
		if (outcome instanceof AcquireOutcome.Busy busy) {
			return new Verdict.Busy(busy, this.attempts.busy(busy, this.sentAt, now));
		}
		if (outcome instanceof AcquireOutcome.Refused) {
			refused(now);
			return Verdict.Ended.INSTANCE;
		}
		LockStoreException failed = failure(ex);
		return (failed instanceof ReplicasNotAcknowledgedException missing) ? new Verdict.Missed(missing)
				: new Verdict.Failed(failed);
	}

	private Verdict granted(long token, long now) {
		if (this.attempts.grant.isInDoubt()) {
			return Verdict.Ended.INSTANCE;
		}
		long ttl = this.attempts.grant.ttlNanos();
		long validUntil = this.sentAt + ttl - LockTerms.drift(ttl);
		return (now >= validUntil) ? new Verdict.Failed(failure(null)) : new Verdict.Granted(token, validUntil);
	}

	/**
	 * The store refuses what was sent once, and that within the lease: it knows a request
	 * that was not made here.
	 */
	private void refused(long now) {
		long ttl = this.attempts.grant.ttlNanos();
		if (this.first && now - this.sentAt < ttl - LockTerms.drift(ttl)) {
			this.queue.instance().doubt.distrust();
		}
	}

	private LockStoreException failure(@Nullable Throwable ex) {
		return Failure.ofStore(this.queue.instance().store, "acquire", this.queue.keys(), ex);
	}

	/** The queue that the attempts are made for. */
	interface Caller extends GrantContext {

		/** The alarm has gone off. */
		void alarm(AcquireAttempts attempts, long now);

		/** An attempt has been sent and not been answered yet. */
		void awaiting(Attempt attempt, CompletableFuture<AcquireOutcome> answer);

		/** An attempt was answered, perhaps after it was given up. */
		void answered(Attempt attempt, @Nullable AcquireOutcome outcome, @Nullable Throwable ex);

		/** The exclusive request by which the owner of a reader has the keys already. */
		@Nullable RequestId beside(Object reader);

	}

}
