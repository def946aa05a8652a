package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.store.LockKey;

/**
 * The kinds of locks that a world has. Some keys are semaphores of a fixed limit; the
 * others are taken in any mode.
 */
final class SimulationModes {

	private final SimulationChance chance;

	private final double reading;

	private final double fair;

	private int permits;

	/** How often a lock has a delay. */
	private double delayed;

	/** How often a request takes several permits. */
	private double several;

	/** Decides about these, so that it draws nothing from the chance of the rest. */
	private SimulationChance more = new SimulationChance(0);

	private final Set<String> semaphores = new HashSet<>();

	private SimulationModes(SimulationChance chance, double reading, double fair) {
		this.chance = chance;
		this.reading = reading;
		this.fair = fair;
		this.permits = 1 + chance.below(3);
	}

	/** In many worlds there are none but exclusive locks. */
	static SimulationModes of(SimulationChance chance) {
		if (chance.of(0.4)) {
			return new SimulationModes(chance, 0, 0);
		}
		SimulationModes modes = new SimulationModes(chance, chance.sometimes(0.7, 0.9), chance.sometimes(0.6, 1));
		double semaphores = chance.oneOf(0.0, 0.3, 1.0);
		for (LockKey key : SimulationOptions.KEYS) {
			if (chance.of(semaphores)) {
				modes.semaphores.add(key.key());
			}
		}
		return modes;
	}

	/** All modes but semaphores, on every key. */
	static SimulationModes mixed(SimulationChance chance) {
		return new SimulationModes(chance, chance.sometimes(0.7, 0.8), chance.sometimes(0.7, 0.8));
	}

	/** Delays in many worlds, and in many more permits, of which some take several. */
	SimulationModes withMore(SimulationChance chance) {
		this.more = chance;
		this.delayed = chance.sometimes(0.6, 0.8);
		this.several = chance.sometimes(0.6, 0.8);
		this.permits += (this.several > 0) ? chance.below(4) : 0;
		return this;
	}

	/** A request takes either permits or locks. */
	List<String> alike(List<String> keys) {
		List<String> alike = new ArrayList<>(keys);
		alike.removeIf((key) -> isSemaphore(key) != isSemaphore(keys.get(0)));
		return alike;
	}

	private boolean isSemaphore(String key) {
		return this.semaphores.contains(key);
	}

	LockMode any(List<String> keys) {
		if (isSemaphore(keys.get(0))) {
			return LockMode.SEMAPHORE;
		}
		return this.chance.of(this.reading) ? LockMode.READ : exclusive();
	}

	private LockMode exclusive() {
		return this.chance.of(this.fair) ? LockMode.FAIR : LockMode.EXCLUSIVE;
	}

	/** The mode that a holder asks for besides; a reader seldom one that is refused. */
	LockMode again(LockMode held) {
		if (held == LockMode.SEMAPHORE) {
			return held;
		}
		boolean reads = (held == LockMode.READ) ? !this.chance.of(0.1) : this.chance.of(Math.min(this.reading, 0.5));
		return reads ? LockMode.READ : exclusive();
	}

	LockRequest in(LockMode mode, LockRequest request) {
		LockRequest chosen = (mode == LockMode.EXCLUSIVE) ? request : request.mode(mode);
		if (mode == LockMode.SEMAPHORE) {
			return chosen.permits(this.permits)
				.take(this.more.of(this.several) ? 1 + this.more.below(this.permits) : 1);
		}
		boolean closes = mode.isExclusive() && this.more.of(this.delayed);
		return closes ? chosen.lockDelay(Duration.ofNanos(this.more.millis(50, 1000))) : chosen;
	}

	/** Return whether a free lock may be reserved for an earlier waiter. */
	boolean haveTurns(LockMode mode) {
		return mode != LockMode.SEMAPHORE && (this.reading > 0 || this.fair > 0);
	}

	/** Return whether several holders may have a lock by the same token. */
	boolean hasReaders() {
		return this.reading > 0;
	}

}
