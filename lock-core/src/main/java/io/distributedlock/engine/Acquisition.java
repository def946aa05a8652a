package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.SetDividedException;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The acquisition of the keys of one request: together, or one after the other and all or
 * none. Used by one thread at a time.
 */
final class Acquisition {

	private final Engine engine;

	private final LockRequest request;

	private final LockTerms terms;

	final long startedAt;

	final long deadline;

	private Iterator<List<LockKey>> parts = Collections.emptyIterator();

	private List<LockKey> asked = List.of();

	private List<GrantLease> taken = new ArrayList<>(1);

	private boolean storeAnswered;

	/**
	 * Create an acquisition.
	 * @param deadline when to give up; the time of the start to attempt once
	 */
	Acquisition(Engine engine, LockRequest request, LockTerms terms, long startedAt, long deadline) {
		this.engine = engine;
		this.request = request;
		this.terms = terms;
		this.startedAt = startedAt;
		this.deadline = deadline;
	}

	boolean isOnce() {
		return this.deadline == this.startedAt;
	}

	/**
	 * Return the waiter for the next keys, or {@code null} once all are acquired. If a
	 * lease was lost while another key was waited for, the acquisition starts again.
	 * @throws LockStoreException if a lease was lost and there is only a single attempt
	 */
	@Nullable Waiter next() {
		if (!this.parts.hasNext()) {
			GrantLease lost = lost();
			if (lost == null && !this.taken.isEmpty()) {
				return null;
			}
			if (lost != null && isOnce()) {
				throw Failure.ofStore(this.engine.instance.store, "acquire", lost.hold.grant.keys(), null);
			}
			rollBack();
			this.taken = new ArrayList<>(1);
			this.parts = this.engine.queues.index.reentrance.split(this.request, this.terms).iterator();
		}
		this.asked = this.parts.next();
		Waiter next = new Waiter(this.engine.instance, this.asked, this.terms, this.request.owner(), this.startedAt,
				this.deadline);
		if (this.storeAnswered) {
			next.storeAnswered();
		}
		return next;
	}

	/**
	 * Return the first of several leases that was lost while another key was waited for.
	 */
	private @Nullable GrantLease lost() {
		return this.taken.stream().filter((lease) -> this.taken.size() > 1 && lease.isLost()).findFirst().orElse(null);
	}

	void add(GrantLease lease) {
		this.taken.add(lease);
		this.storeAnswered |= lease.hold.isAcquiredAfter(this.startedAt);
	}

	/**
	 * Return whether keys that were requested together must be requested one by one: the
	 * owner has some of them, or the store has learnt that it cannot take them together.
	 */
	boolean isDivided(Throwable failure) {
		return failure instanceof SetDividedException
				|| (failure instanceof LockStoreException && this.engine.instance.offer.divides(this.asked)
						&& (isOnce() || this.engine.instance.now() < this.deadline));
	}

	/** Acquire all keys, while the calling thread waits. */
	Lease await(boolean interruptible) throws InterruptedException {
		try {
			for (Waiter next = next(); next != null; next = next()) {
				await(next, interruptible);
			}
			return lease();
		}
		catch (Throwable ex) {
			await(rollBack());
			throw ex;
		}
	}

	/** Wait for a roll-back, unless the answers come on this thread. */
	private void await(CompletableFuture<Void> rolledBack) {
		if (!this.engine.instance.isAnsweredHere()) {
			rolledBack.join();
		}
	}

	private void await(Waiter next, boolean interruptible) throws InterruptedException {
		try {
			this.engine.queues.enter(next);
			add(this.engine.queues.await(next, interruptible));
		}
		catch (RuntimeException ex) {
			if (!isDivided(ex)) {
				throw ex;
			}
		}
	}

	/** Return the lease for the caller: a single one as it is, several as one. */
	Lease lease() {
		this.taken.forEach((lease) -> lease.hold.begin(this.terms, this.request.owner()));
		return (this.taken.size() == 1) ? this.taken.get(0) : new CompositeLease(this.taken);
	}

	/**
	 * Release the acquired leases; nothing ran under them.
	 * @return completes when all are released
	 */
	CompletableFuture<Void> rollBack() {
		return CompletableFuture.allOf(CompositeLease.reversed(this.taken)
			.stream()
			.map(GrantLease::drop)
			.toArray(CompletableFuture<?>[]::new));
	}

}
