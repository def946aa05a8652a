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

	private final KeyQueue queue;

	final Grant grant;

	final Waiter head;

	/** Whether it is the first one of its request. */
	private final boolean first;

	/** Whether the store is to keep a waiter entry if the lock is busy. */
	final boolean leavesEntry;

	/** Set when it is sent, which is before it is answered. */
	long sentAt;

	/** There once it is on its way; guarded by the queue. */
	@Nullable CompletableFuture<AcquireOutcome> answer;

	Attempt(KeyQueue queue, Grant grant, Waiter head, boolean first, boolean leavesEntry) {
		this.queue = queue;
		this.grant = grant;
		this.head = head;
		this.first = first;
		this.leavesEntry = leavesEntry;
	}

	/** Lifetime of the waiter entry left in the store; zero leaves none. */
	Duration waiting() {
		return this.leavesEntry ? this.queue.instance().entryTtl : Duration.ZERO;
	}

	/** The end of the lease that the store has given, drift taken off. */
	long validUntil() {
		return this.sentAt + this.grant.ttlNanos() - LockTerms.drift(this.grant.ttlNanos());
	}

	/** Send the attempt. Called outside the monitor. */
	@Override
	public void run() {
		this.sentAt = this.queue.instance().now();
		CompletableFuture<AcquireOutcome> sent = this.head.lendThread(this.grant.patience(), this::send);
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
		LockTerms terms = this.grant.terms();
		Object reader = (terms.mode() == LockMode.READ) ? this.head.owner : null;
		RequestId beside = (reader != null) ? this.queue.queues.reentrance.beside(this.queue.keys(), reader) : null;
		return new AcquireCommand(this.queue.keys(), this.grant.request(), terms.mode(), terms.permits(), beside,
				terms.ttl(), terms.keepFor(), waiting(), this.queue.instance().highestToken(), false);
	}

	@Override
	public void accept(@Nullable AcquireOutcome outcome, @Nullable Throwable ex) {
		this.queue.answered(this, outcome, ex);
	}

	/**
	 * The store refuses what was sent once, and that within the lease: it knows a request
	 * that was not made here.
	 */
	void refused(long now) {
		if (this.first && now < validUntil()) {
			this.queue.instance().doubt.distrust();
		}
	}

}
