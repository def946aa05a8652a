package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.engine.internal.time.HeapTimer;
import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/**
 * The future of a request that blocks no thread; cancelling it abandons the request. Only
 * its completion runs on the executors for code of users, so the steps before that never
 * wait for such code.
 */
final class AsyncAcquisition extends CompletableFuture<Lease> {

	/** Time that a lease has to reach a thread, beyond the budget. */
	private static final long HOP_NANOS = 100_000_000;

	private static final String UNDELIVERED = "Lock '%s' was acquired, but not delivered within %d ms: all threads "
			+ "that run continuations of acquireAsync are busy. It was released. Let continuations not block, or "
			+ "run them on an executor of your own by thenAcceptAsync(…, executor) and the like";

	private final Engine engine;

	private final Acquisition keys;

	private final LockRequest request;

	/** Number of steps to do; the thread that raises it from zero does all of them. */
	private final AtomicInteger steps = new AtomicInteger();

	private volatile @Nullable Waiter waiter;

	/** The observation of the call, or {@code null}; set before it starts. */
	@Nullable ObservedCall observed;

	/** Stack frames of the caller, if its lease is tracked; set before it starts. */
	@Nullable String place;

	/** Set once all keys are acquired. */
	private volatile @Nullable Delivery delivery;

	AsyncAcquisition(Engine engine, Acquisition keys, LockRequest request) {
		this.engine = engine;
		this.keys = keys;
		this.request = request;
	}

	/**
	 * Request the keys, together or one by one. A failure completes the future and is
	 * never thrown: the calling thread may have brought the answer for an earlier key. A
	 * closed registry, in which only an owner may still enter again, fails at once: the
	 * future has no continuation yet.
	 */
	AsyncAcquisition start() {
		if (this.engine.instance.isClosed() && this.request.owner() == null) {
			failNow(closed());
		}
		else {
			next();
		}
		return this;
	}

	/**
	 * Request the next key, which may be given at once, and so on. The steps run in a
	 * loop and not nested, since the stack would be too small for many keys.
	 */
	private void next() {
		if (this.steps.getAndIncrement() > 0) {
			return;
		}
		do {
			step();
		}
		while (this.steps.decrementAndGet() > 0);
	}

	private void step() {
		Waiter next;
		try {
			next = this.keys.next();
		}
		catch (Throwable ex) {
			// The owner may be an object of the user that cannot be compared.
			settled(null, ex);
			return;
		}
		if (next == null) {
			deliver();
			return;
		}
		this.waiter = next.telling(this::settled);
		this.engine.queues.enter(next);
		if (isDone()) {
			this.engine.queues.giveUp(next, CancellationException::new);
		}
	}

	private void settled(@Nullable Hold hold, @Nullable Throwable failure) {
		if (hold != null) {
			this.keys.add(new GrantLease(hold));
		}
		if (!isDone() && (hold != null || (failure != null && this.keys.isDivided(failure)))) {
			next();
			return;
		}
		this.keys.rollBack();
		fail((failure != null) ? failure : new CancellationException());
	}

	private void deliver() {
		Delivery begun = new Delivery();
		this.delivery = begun;
		if (isDone()) {
			this.keys.rollBack();
			fail(new CancellationException());
		}
		else {
			this.engine.instance.timers.schedule(begun, lastDelivery());
			this.engine.instance.executors.leases().execute(begun);
		}
	}

	private void fail(Throwable reason) {
		this.engine.instance.executors.endings().execute(() -> failNow(reason));
	}

	private void failNow(Throwable reason) {
		observeFailure(reason);
		completeExceptionally(reason);
	}

	private LockRegistryClosedException closed() {
		return new LockRegistryClosedException(this.request.name(), String.join(", ", this.request.keys()));
	}

	private void observeFailure(Throwable reason) {
		ObservedCall call = this.observed;
		if (call != null) {
			call.failed(reason);
		}
	}

	private Lease lease() {
		Lease lease = this.keys.lease();
		ObservedCall call = this.observed;
		if (call != null) {
			call.acquired(lease);
		}
		return this.engine.leaks.tracked(lease, this.place);
	}

	/**
	 * Return the deadline of the delivery. A single attempt may take as long as a
	 * command.
	 */
	private long lastDelivery() {
		return this.keys.isOnce() ? this.keys.startedAt + this.engine.instance.commandTimeoutNanos()
				: this.keys.deadline;
	}

	private LockException undelivered() {
		DisplayText keys = DisplayText.lock(this.request.name(), String.join(", ", this.request.keys()));
		Duration waited = Duration.ofNanos(this.engine.instance.now() - this.keys.startedAt);
		return new LockException(UNDELIVERED.formatted(keys, waited.toMillis()));
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		Waiter waiting = this.waiter;
		if (cancelled) {
			observeFailure(new CancellationException());
		}
		if (cancelled && waiting != null) {
			this.engine.queues.giveUp(waiting, CancellationException::new);
			Delivery begun = this.delivery;
			if (begun != null) {
				this.engine.instance.timers.cancel(begun);
				this.keys.rollBack();
			}
		}
		return cancelled;
	}

	/** Dependent stages are ordinary futures: cancelling one does not end the request. */
	@Override
	public <U> CompletableFuture<U> newIncompleteFuture() {
		return new CompletableFuture<>();
	}

	/** The lease on its way to the caller. The timer is the deadline of the delivery. */
	private final class Delivery extends HeapTimer implements Runnable {

		private final AtomicBoolean ended = new AtomicBoolean();

		private boolean late;

		@Override
		public void run() {
			if (this.ended.compareAndSet(false, true)) {
				AsyncAcquisition.this.engine.instance.timers.cancel(this);
				if (!complete(lease())) {
					AsyncAcquisition.this.keys.rollBack();
				}
			}
		}

		/**
		 * Release the lease a moment after the deadline. If the timer is late as well,
		 * the process was paused, and the threads get another moment.
		 */
		@Override
		public void fire(long now) {
			if (this.late && now - due() < HOP_NANOS) {
				giveBack(undelivered());
			}
			else {
				this.late = true;
				AsyncAcquisition.this.engine.instance.timers.schedule(this, now + HOP_NANOS);
			}
		}

		@Override
		public void abort() {
			giveBack(closed());
		}

		/** Release a lease that no thread could take to its caller in time. */
		private void giveBack(LockException reason) {
			if (this.ended.compareAndSet(false, true)) {
				AsyncAcquisition.this.keys.rollBack();
				fail(reason);
			}
		}

	}

}
