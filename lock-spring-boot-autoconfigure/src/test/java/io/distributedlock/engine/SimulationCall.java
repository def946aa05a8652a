package io.distributedlock.engine;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockUpgradeException;
import io.distributedlock.LockRequest;
import io.distributedlock.store.LockKey;

/**
 * One request for a lock, asynchronous or as a blocked thread would make it, until it has
 * its lease, fails, or is given up by its caller.
 */
final class SimulationCall {

	private final SimulationInstance instance;

	private final SimulationPatience patience;

	private final LockRequest request;

	private final LockTerms terms;

	private WaitBudget budget;

	private final Consumer<SimulationHold> then;

	private final Runnable otherwise;

	private final List<LockKey> keys;

	private final long begunAt;

	private final boolean blocking;

	private final int number;

	private AsyncAcquisition async;

	private Waiter waiter;

	private Iterator<LockKeys> parts;

	private CompositeLease.Builder taken;

	/** The holds of its owner that it was to go beside, or to be refused because of. */
	private List<SimulationHold> besides = List.of();

	private boolean settled;

	private int settlements;

	SimulationCall(SimulationInstance instance, LockRequest request, Consumer<SimulationHold> then,
			Runnable otherwise) {
		this.instance = instance;
		this.patience = instance.world().patience();
		this.request = request;
		this.terms = SimulationOptions.terms(request);
		this.then = then;
		this.otherwise = otherwise;
		this.keys = request.keys().stream().map((key) -> new LockKey(request.name(), key)).toList();
		this.begunAt = instance.world().now();
		this.budget = budget(instance, request.options().waitFor());
		this.number = this.patience.nextCall();
		this.blocking = instance.world().chance().of(0.4);
	}

	/** A budget of zero tries once. */
	private static WaitBudget budget(SimulationInstance instance, Duration waitFor) {
		return WaitBudget.starting(instance.nanos(), waitFor.equals(SimulationOptions.FOREVER) ? null : waitFor);
	}

	void start() {
		this.instance.world().trace(() -> this + " asks");
		this.patience.begins(this);
		this.besides = this.instance.world().checks().ofOwner(this);
		if (this.blocking) {
			begin();
		}
		else {
			this.async = new AsyncAcquisition(this.instance.engine(), this.request, this.terms, this.budget);
			this.async.whenComplete(this::settle);
			this.async.start();
		}
	}

	private void begin() {
		List<LockKeys> split;
		try {
			split = this.instance.engine().queues.reentrance.split(this.request, this.terms);
		}
		catch (LockUpgradeException ex) {
			this.instance.after(0, () -> settle(null, ex));
			return;
		}
		this.parts = split.iterator();
		this.taken = (split.size() > 1) ? new CompositeLease.Builder() : null;
		nextPart(this.budget);
	}

	/** As a thread does that is parked until it is served. */
	private void nextPart(WaitBudget left) {
		this.waiter = new Waiter(this.instance.engine().instance, this.parts.next(), this.terms, this.request.owner(),
				left, (lease, failure) -> {
					this.settlements++;
					this.instance.after(this.instance.world().chance().upTo(SimulationInstance.LAG_NANOS),
							() -> wokenUp(lease, failure));
				});
		this.settlements = 0;
		this.instance.engine().queues.enter(this.waiter);
	}

	private void wokenUp(GrantLease lease, Throwable failure) {
		if (this.settled) {
			return;
		}
		if (this.settlements != 1) {
			this.patience.settledTwice(this);
		}
		if (failure instanceof SetDividedException) {
			begin();
		}
		else if (lease == null) {
			rollBack();
			settle(null, failure);
		}
		else if (this.taken == null) {
			settle(lease, null);
		}
		else {
			this.taken.add(lease);
			this.budget = lease.leftOf(this.budget);
			if (this.parts.hasNext()) {
				nextPart(this.budget);
			}
			else if (this.taken.lost() == null) {
				settle(this.taken.build(), null);
			}
			else if (this.budget.isOnce()) {
				rollBack();
				settle(null, Failure.tooLate(this.instance.engine().instance.store, lease.grant().keys()));
			}
			else {
				rollBack();
				begin();
			}
		}
	}

	private void rollBack() {
		if (this.taken != null) {
			this.taken.rollBack();
		}
	}

	/** The caller does not want to wait any more. */
	void giveUp() {
		if (this.settled) {
			return;
		}
		this.instance.world().trace(() -> this + " gives up");
		if (this.blocking) {
			this.waiter.dismiss();
			rollBack();
			settle(null, new CancellationException());
		}
		else {
			this.async.cancel(true);
		}
	}

	private void settle(Lease lease, Throwable failure) {
		if (this.settled) {
			this.patience.settledTwice(this);
		}
		this.settled = true;
		Throwable reason = (failure instanceof CompletionException) ? failure.getCause() : failure;
		this.instance.world().trace(() -> this + ((lease != null) ? " has " + lease : " failed: " + reason));
		this.patience.settles(this, reason);
		this.instance.world().checks().failed(this, this.besides, reason);
		if (lease == null) {
			this.otherwise.run();
			return;
		}
		SimulationHold hold = new SimulationHold(this, lease);
		hold.begin();
		this.then.accept(hold);
	}

	boolean isSettled() {
		return this.settled;
	}

	SimulationInstance instance() {
		return this.instance;
	}

	LockRequest request() {
		return this.request;
	}

	LockTerms terms() {
		return this.terms;
	}

	List<LockKey> keys() {
		return this.keys;
	}

	Object owner() {
		return this.request.owner();
	}

	long begunAt() {
		return this.begunAt;
	}

	boolean triesOnce() {
		return this.budget.isOnce();
	}

	/** By the clock of its instance; far away if it waits for ever. */
	long deadline() {
		long answers = this.budget.isOnce() ? this.keys.size() * 1_000_000_000L : 0;
		return (this.budget.deadline() == Waiter.FOREVER) ? Waiter.FOREVER : this.budget.deadline() + answers;
	}

	@Override
	public String toString() {
		return this.instance + " " + (this.blocking ? "thread" : "future") + " #" + this.number + " for "
				+ this.request.keys() + " as " + owner();
	}

}
