package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.SimulatedEngine;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.store.LockKey;

/**
 * A request for a lock, asynchronous or as a blocked thread would make it, until it has
 * its lease, fails, or is given up by its caller.
 */
final class SimulationCall {

	private final SimulationInstance instance;

	private final SimulationPatience patience;

	private final LockRequest request;

	private final LockTerms terms;

	private final SimulatedEngine.Call taken;

	private final Consumer<SimulationHold> then;

	private final Runnable otherwise;

	private final List<LockKey> keys;

	private final long begunAt;

	/** By the clock of the instance. */
	private final long begunNanos;

	/** By key, the largest token that was known when it began. */
	private final Map<LockKey, SimulationTokens.Told> toldBefore = new HashMap<>();

	private final boolean blocking;

	private final int number;

	private SimulatedEngine.Async async;

	private Waiter waiter;

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
		this.begunNanos = instance.nanos();
		this.keys.forEach((key) -> this.toldBefore.put(key, instance.world().tokens().largest(key)));
		this.taken = acquisition(instance, request, this.terms);
		this.number = this.patience.nextCall();
		this.blocking = instance.world().chance().of(0.4);
	}

	/** A budget of zero tries once. */
	private static SimulatedEngine.Call acquisition(SimulationInstance instance, LockRequest request, LockTerms terms) {
		Duration wait = request.options().waitFor().equals(SimulationOptions.FOREVER) ? null
				: request.options().waitFor();
		long now = instance.nanos();
		return new SimulatedEngine.Call(instance.engine(), request, terms, now, Waiter.deadline(now, wait));
	}

	void start() {
		this.instance.world().trace(() -> this + " asks");
		this.patience.begins(this);
		this.besides = this.instance.world().checks().ofOwner(this);
		if (this.blocking) {
			goOn();
		}
		else {
			this.async = this.taken.async();
			this.async.future().whenComplete(this::settle);
			this.async.start();
		}
	}

	/** As a thread does that is parked until it is served. */
	private void park(Waiter next) {
		this.waiter = next;
		this.settlements = 0;
		this.instance.engine().queues().enter(next.telling((hold, failure) -> {
			this.settlements++;
			this.instance.after(this.instance.world().chance().upTo(SimulationInstance.LAG_NANOS),
					() -> wokenUp(hold, failure));
		}));
	}

	private void wokenUp(Hold hold, Throwable failure) {
		if (this.settled) {
			return;
		}
		if (this.settlements != 1) {
			this.patience.settledTwice(this);
		}
		if (hold == null) {
			fail(failure);
			return;
		}
		this.taken.add(hold);
		goOn();
	}

	private void goOn() {
		Waiter next;
		try {
			next = this.taken.next();
		}
		catch (LockException ex) {
			fail(ex);
			return;
		}
		if (next != null) {
			park(next);
		}
		else {
			settle(this.taken.lease(), null);
		}
	}

	private void fail(Throwable failure) {
		this.taken.rollBack();
		settle(null, failure);
	}

	/** The caller does not want to wait any more. */
	void giveUp() {
		if (this.settled) {
			return;
		}
		this.instance.world().trace(() -> this + " gives up");
		if (this.blocking) {
			this.instance.engine().queues().dismiss(this.waiter);
			fail(new CancellationException());
		}
		else {
			this.async.future().cancel(true);
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

	long begunNanos() {
		return this.begunNanos;
	}

	SimulationTokens.Told toldBefore(LockKey key) {
		return this.toldBefore.get(key);
	}

	boolean triesOnce() {
		return this.taken.isOnce();
	}

	/** By the clock of its instance; far away if it waits for ever. */
	long deadline() {
		long answers = this.taken.isOnce() ? this.keys.size() * 1_000_000_000L : 0;
		return (this.taken.deadline() == Waiter.FOREVER) ? Waiter.FOREVER : this.taken.deadline() + answers;
	}

	@Override
	public String toString() {
		return this.instance + " " + (this.blocking ? "thread" : "future") + " #" + this.number + " for "
				+ this.request.keys() + " as " + owner();
	}

}
