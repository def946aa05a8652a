package io.distributedlock.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.instance.EngineDrive;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.Queues;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.store.LockStore;

/** An engine that a simulation drives, for tests of another package. */
public final class SimulatedEngine {

	private final Engine engine;

	/**
	 * Create an engine.
	 * @param store the store of the locks
	 * @param drive the virtual clock, timers and executors
	 * @param listener receives events
	 */
	public SimulatedEngine(LockStore store, EngineDrive drive, LockEventListener listener) {
		this.engine = new Engine(store, EngineSettings.DEFAULTS, drive, listener);
	}

	/**
	 * Return the holds of a lease.
	 * @param lease the lease, of one grant or of several
	 * @return a hold for each grant
	 */
	public static List<Hold> holds(Lease lease) {
		return LeakDetector.holds(lease);
	}

	public Instance instance() {
		return this.engine.instance;
	}

	public Queues queues() {
		return this.engine.queues;
	}

	public void stopHandingOut() {
		this.engine.stopHandingOut();
	}

	/**
	 * Lose every lock that is held.
	 * @param reason the reason
	 */
	public void loseAll(LossReason reason) {
		this.engine.loseAll(reason);
	}

	public void stop() {
		this.engine.stop();
	}

	/** An acquisition that a simulated caller makes step by step, or without blocking. */
	public static final class Call {

		private final SimulatedEngine owner;

		private final LockRequest request;

		private final Acquisition acquisition;

		/**
		 * Create a call.
		 * @param owner the engine
		 * @param request the locks
		 * @param terms the options
		 * @param startedAt the time
		 * @param deadline the time to give up
		 */
		public Call(SimulatedEngine owner, LockRequest request, LockTerms terms, long startedAt, long deadline) {
			this.owner = owner;
			this.request = request;
			this.acquisition = new Acquisition(owner.engine, request, terms, startedAt, deadline);
		}

		/**
		 * Return the waiter for the next keys.
		 * @return {@code null} once all are acquired
		 */
		public Waiter next() {
			return this.acquisition.next();
		}

		/**
		 * Add a hold that a waiter has got.
		 * @param hold the hold
		 */
		public void add(Hold hold) {
			this.acquisition.add(new GrantLease(hold));
		}

		public boolean isOnce() {
			return this.acquisition.isOnce();
		}

		public long deadline() {
			return this.acquisition.deadline;
		}

		public Lease lease() {
			return this.acquisition.lease();
		}

		public void rollBack() {
			this.acquisition.rollBack();
		}

		/**
		 * Acquire without blocking.
		 * @return the future of the lease, not yet started
		 */
		public Async async() {
			return new Async(new AsyncAcquisition(this.owner.engine, this.acquisition, this.request));
		}

	}

	/**
	 * An acquisition that blocks no thread.
	 *
	 * @param future completes with the lease
	 */
	public record Async(CompletableFuture<Lease> future) {

		/** Begin to acquire. */
		public void start() {
			((AsyncAcquisition) this.future).start();
		}

	}

}
