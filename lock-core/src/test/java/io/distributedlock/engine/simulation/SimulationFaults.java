package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.List;

import io.distributedlock.store.LockKey;

/** Faults of a world as a whole, at times that the seed decides. */
final class SimulationFaults {

	private final SimulationWorld world;

	private final SimulationChance chance;

	private final long end;

	SimulationFaults(SimulationWorld world, long end) {
		this.world = world;
		this.chance = world.chance();
		this.end = end;
	}

	void schedule() {
		some(0.4, 3, this::cutLink);
		some(0.2, 2, this::cutAllLinks);
		some(0.3, 3, this::pause);
		some(0.15, 2, () -> anyInstance().crash());
		some(0.1, 1, () -> anyInstance().shutDown(Duration.ofNanos(this.chance.millis(0, 3000))));
		boolean jumps = this.chance.of(0.3);
		if (jumps && !this.world.failOver().isPlanned()) {
			// Forgetting and a clock that was set back may give a token twice.
			some(1, 3, () -> this.world.server().jump(this.chance.below(6000) - 3000));
		}
		else {
			some(0.3, 3, this::loseData);
		}
		some(0.3, 1, this.world::addInstance);
		jumpClocks();
		this.world.failOver().schedule(this.end);
		takeAway(this.world.clocks());
	}

	/** An operator takes locks away from those that have them then. */
	private void takeAway(SimulationChance operator) {
		for (int i = operator.of(0.3) ? 1 + operator.below(3) : 0; i > 0; i--) {
			LockKey key = SimulationOptions.KEYS.get(operator.below(this.world.keyCount()));
			this.world.scheduler().at(operator.upTo(this.end), () -> this.world.server().takeAway(key));
		}
	}

	/** A clock that is set back would hide that its machine was suspended. */
	private void jumpClocks() {
		SimulationChance clocks = this.world.clocks();
		boolean suspends = clocks.of(0.1);
		for (int i = (suspends || clocks.of(0.1)) ? 1 + clocks.below(3) : 0; i > 0; i--) {
			this.world.scheduler().at(clocks.upTo(this.end), () -> {
				List<SimulationInstance> instances = this.world.instances();
				SimulationInstance instance = instances.get(clocks.below(instances.size()));
				if (suspends && clocks.of(0.7)) {
					instance.suspend(Math.min(clocks.millis(0, 4000), this.end - this.world.now()));
				}
				else {
					instance.setWallClock(clocks.below(6000) - (suspends ? 0 : 3000));
				}
			});
		}
	}

	private void some(double share, int most, Runnable fault) {
		if (this.chance.of(share)) {
			for (int i = 1 + this.chance.below(most); i > 0; i--) {
				this.world.scheduler().at(this.chance.upTo(this.end), fault);
			}
		}
	}

	private SimulationInstance anyInstance() {
		List<SimulationInstance> instances = this.world.instances();
		return instances.get(this.chance.below(instances.size()));
	}

	/** No fault outlives the time of faults. */
	private long length() {
		return Math.min(this.chance.millis(0, 4000), this.end - this.world.now());
	}

	private void cutLink() {
		cut(anyInstance(), kindOfCut(), length());
	}

	private void cutAllLinks() {
		SimulationLink.Cut kind = kindOfCut();
		long length = length();
		this.world.instances().forEach((instance) -> cut(instance, kind, length));
	}

	private SimulationLink.Cut kindOfCut() {
		return this.chance.oneOf(SimulationLink.Cut.REFUSES, SimulationLink.Cut.SWALLOWS_COMMANDS,
				SimulationLink.Cut.SWALLOWS_ANSWERS);
	}

	private void cut(SimulationInstance instance, SimulationLink.Cut kind, long length) {
		instance.link().cut(kind);
		this.world.scheduler().after(length, () -> instance.link().cut(SimulationLink.Cut.NONE));
	}

	private void pause() {
		anyInstance().pause(length());
	}

	private void loseData() {
		if (this.chance.of(0.3)) {
			SimulationOptions.KEYS.forEach(this.world.server()::lose);
		}
		else {
			LockKey key = SimulationOptions.KEYS.get(this.chance.below(this.world.keyCount()));
			this.world.server().lose(key);
		}
	}

}
