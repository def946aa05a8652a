package io.distributedlock.engine;

import java.util.Iterator;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * A request that nobody blocks for: the future that its caller gets, which cancelling
 * abandons. Several keys are taken one after the other.
 */
final class AsyncAcquisition extends CompletableFuture<Lease> {

	private final Engine engine;

	private final LockRequest request;

	private final Terms terms;

	private final Budget budget;

	private final Iterator<String> keys;

	private final CompositeLease.Builder taken = new CompositeLease.Builder();

	private volatile @Nullable Waiter waiter;

	AsyncAcquisition(Engine engine, LockRequest request, Terms terms, Budget budget) {
		this.engine = engine;
		this.request = request;
		this.terms = terms;
		this.budget = budget;
		this.keys = request.keys().iterator();
	}

	AsyncAcquisition start() {
		Waiter next = new Waiter(this.engine, new LockKey(this.request.name(), this.keys.next()), this.terms,
				this.request.owner(), this.budget, this::settled);
		this.waiter = next;
		this.engine.enter(next);
		if (isCancelled()) {
			next.giveUp(CancellationException::new);
		}
		return this;
	}

	private void settled(@Nullable GrantLease lease, @Nullable Throwable failure) {
		if (lease == null) {
			this.taken.rollBackAsync();
			completeExceptionally((failure != null) ? failure : new CancellationException());
			return;
		}
		this.taken.add(lease);
		if (isDone()) {
			this.taken.rollBackAsync();
		}
		else if (this.keys.hasNext()) {
			start();
		}
		else if (!complete((this.request.keys().size() == 1) ? lease : this.taken.build())) {
			this.taken.rollBackAsync();
		}
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		Waiter waiting = this.waiter;
		if (cancelled && waiting != null) {
			waiting.giveUp(CancellationException::new);
		}
		return cancelled;
	}

	/** Dependent stages are ordinary futures: cancelling one does not end the request. */
	@Override
	public <U> CompletableFuture<U> newIncompleteFuture() {
		return new CompletableFuture<>();
	}

}
