package io.distributedlock.engine.simulation;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;

import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockUpgradeException;
import io.distributedlock.engine.internal.line.QueueView;
import io.distributedlock.engine.internal.line.Waiter;

/** Checks the waiters: each is served or notified of its failure, once and in time. */
final class SimulationPatience {

	/**
	 * A call settles so late at most, by lag of the loop, of executors and of threads.
	 */
	private static final long MARGIN_NANOS = 10 * SimulationInstance.LAG_NANOS;

	/** No waiter waits longer than a poll and some lag for a free lock. */
	private static final long LONGEST_IDLE_NANOS = 1_100_000_000;

	/**
	 * Where a turn is reserved, the other waiters also wait for requests that have ended
	 * or wait for another lock by now.
	 */
	private static final long LONGEST_WORD_NANOS = 3_000_000_000L;

	private static final long FEW_POLLS_NANOS = 3_000_000_000L;

	private final SimulationWorld world;

	private final Set<SimulationCall> waiting = new LinkedHashSet<>();

	private final Map<SimulationCall, Long> idleSince = new HashMap<>();

	private int calls;

	SimulationPatience(SimulationWorld world) {
		this.world = world;
	}

	int nextCall() {
		return ++this.calls;
	}

	void begins(SimulationCall call) {
		this.waiting.add(call);
		if (call.deadline() != Waiter.FOREVER) {
			SimulationInstance instance = call.instance();
			instance.at(instance.worldTime(call.deadline()) + MARGIN_NANOS, () -> requireSettled(call));
		}
	}

	private void requireSettled(SimulationCall call) {
		SimulationInstance instance = call.instance();
		// A budget does not run while the machine is suspended.
		long running = Math.max(instance.resumedAt(), instance.worldTime(call.deadline())) + MARGIN_NANOS;
		if (call.isSettled()) {
			return;
		}
		if (this.world.now() < running) {
			instance.at(running, () -> requireSettled(call));
		}
		else {
			this.world.violation("%s still waits after the end of its budget", call);
		}
	}

	void settledTwice(SimulationCall call) {
		this.world.violation("%s was not settled exactly once", call);
	}

	void settles(SimulationCall call, Throwable failure) {
		this.waiting.remove(call);
		this.idleSince.remove(call);
		if (failure instanceof LockRegistryClosedException) {
			if (!call.instance().engine().instance().isClosed()) {
				this.world.violation("%s was told that the registry is closed", call);
			}
		}
		else if (failure instanceof LockNotAcquiredException) {
			if (!call.triesOnce() && call.instance().nanos() < call.deadline()) {
				this.world.violation("%s was told too early that the lock is busy", call);
			}
		}
		else if (failure instanceof LockStoreException) {
			if (this.world.isCalmSince(call.begunAt()) && !mayHaveHeardNothing(call)) {
				this.world.violation("%s was told of an outage that there was not", call);
			}
		}
		else if (failure instanceof LockUpgradeException) {
			if (call.owner() == null || !call.terms().mode.isExclusive() || !this.world.modes().hasReaders()) {
				this.world.violation("%s was refused as a reader", call);
			}
		}
		else if (failure != null && !(failure instanceof CancellationException)
				&& !(failure instanceof LockLostException)
				&& !String.valueOf(failure.getMessage()).contains(" from a re-entrant call")) {
			this.world.violation("%s failed oddly: %s", call, failure);
		}
	}

	/**
	 * Who waited less than a few polls, or behind its own instance, need not have heard
	 * of the store.
	 */
	private boolean mayHaveHeardNothing(SimulationCall call) {
		return this.world.now() - call.begunAt() < FEW_POLLS_NANOS || call.keys()
			.stream()
			.anyMatch((key) -> this.world.now() - this.world.checks().lostAt(call.instance(), key) <= MARGIN_NANOS);
	}

	/** No waiter waits for a lock that has been free for longer than a poll. */
	void look() {
		SimulationServer server = this.world.server();
		for (SimulationCall call : this.waiting) {
			if (call.instance().isCrashed() || !isFree(call) || isBehindALargerOne(call)) {
				this.idleSince.remove(call);
				continue;
			}
			long granted = call.keys().stream().mapToLong(server::grantedAt).max().orElse(0);
			long since = Math.max(this.idleSince.computeIfAbsent(call, (first) -> this.world.now()), granted);
			long words = this.world.modes().haveTurns(call.terms().mode) ? LONGEST_WORD_NANOS : 0;
			if (this.world.now() - since > LONGEST_IDLE_NANOS + words) {
				this.world.violation("%s waits for what is free", call);
			}
		}
	}

	private boolean isFree(SimulationCall call) {
		return call.keys().stream().allMatch((key) -> this.world.server().isFree(key, call.terms()));
	}

	/**
	 * Callers of one instance come in order, so one that wants few permits waits behind
	 * one that wants many, which {@code docs/modes.md} says.
	 */
	private boolean isBehindALargerOne(SimulationCall call) {
		return call.terms().mode == LockMode.SEMAPHORE && this.waiting.stream()
			.takeWhile((earlier) -> earlier != call)
			.anyMatch((earlier) -> earlier.instance() == call.instance() && earlier.terms().take > call.terms().take
					&& !Collections.disjoint(earlier.keys(), call.keys()) && !isFree(earlier));
	}

	/**
	 * Let the budgets end of callers that hold one lock of a fair set and wait for
	 * another one of it: the set waits for them, and they wait behind it, which
	 * {@code docs/modes.md} says. Everything else has to end without that.
	 */
	void endWaitsOfTwoOrders() {
		List<SimulationCall> sets = this.waiting.stream()
			.filter((call) -> call.terms().mode == LockMode.FAIR && call.keys().size() > 1)
			.toList();
		List.copyOf(this.waiting)
			.stream()
			.filter((call) -> sets.stream().anyMatch((set) -> set != call && isInTheWay(call, set)))
			.forEach(SimulationCall::giveUp);
	}

	private static boolean isInTheWay(SimulationCall call, SimulationCall set) {
		return call.owner() != null && call.keys().stream().anyMatch(set.keys()::contains)
				&& call.instance().engine().queues().index.all()
					.stream()
					.flatMap((queue) -> queue.allHeld().stream())
					.filter((held) -> held.keys().stream().anyMatch(set.keys()::contains))
					.anyMatch((held) -> QueueView.mayEnter(call.owner(), held.owner()));
	}

	boolean isQuiet() {
		this.waiting.removeIf((call) -> call.instance().isCrashed());
		return this.waiting.isEmpty();
	}

	void checkAllServed() {
		if (!isQuiet()) {
			this.world.violation("Stuck: waiting %s", this.waiting);
		}
	}

}
