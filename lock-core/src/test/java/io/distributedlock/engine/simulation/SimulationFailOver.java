package io.distributedlock.engine.simulation;

import java.time.Duration;

/**
 * Replicas that take over from their primary, in some worlds. A replica knows all locks
 * as they were a moment ago, or none. Until the last instance has noticed, there are two
 * primaries. Everything is drawn apart from the chance of the world, so that other worlds
 * stay as they are.
 */
final class SimulationFailOver {

	/** In so many worlds. */
	private static final double SHARE = 0.15;

	/** In so many of these there is a herd. */
	private static final double HERDS = 0.7;

	private static final long LONGEST_LAG_MILLIS = 500;

	private final SimulationWorld world;

	private final SimulationChance chance;

	private final boolean planned;

	/**
	 * {@code true} if the callers of all instances want the same lock, by the same terms.
	 */
	private final boolean herd;

	private final Duration ttl;

	/** {@code true} while a fail-over is going on. */
	private boolean running;

	SimulationFailOver(SimulationWorld world, long seed) {
		this.world = world;
		this.chance = new SimulationChance(seed * 41 + 7);
		this.planned = this.chance.of(SHARE);
		this.herd = this.planned && this.chance.of(HERDS);
		this.ttl = Duration.ofMillis(this.chance.oneOf(1000, 2000, 3000));
	}

	boolean isPlanned() {
		return this.planned;
	}

	boolean hasHerd() {
		return this.herd;
	}

	Duration ttl() {
		return this.ttl;
	}

	SimulationChance chance() {
		return this.chance;
	}

	void schedule(long end) {
		for (int i = this.planned ? 2 + this.chance.below(5) : 0; i > 0; i--) {
			long at = this.chance.upTo(end);
			long lag = this.chance.of(0.5) ? this.chance.millis(0, LONGEST_LAG_MILLIS) : 0;
			boolean empty = this.chance.of(0.7);
			long length = Math.min(this.chance.millis(500, 3000), end - at);
			this.world.scheduler().at(at - lag, () -> {
				SimulationTable primary = this.world.server().table();
				SimulationTable replica = empty ? new SimulationTable() : this.world.server().copy();
				this.world.scheduler().at(at, () -> replace(primary, replica, length));
			});
		}
	}

	private void replace(SimulationTable primary, SimulationTable replica, long length) {
		if (this.running || this.world.server().table() != primary) {
			return;
		}
		this.running = true;
		SimulationFormer former = this.world.server().failOver(replica, this.world.now() + length);
		this.world.instances().forEach((instance) -> {
			instance.link().remainAt(former);
			long noticed = this.chance.of(0.4) ? this.chance.upTo(length / 20) : length;
			this.world.scheduler().after(noticed, instance.link()::follow);
		});
		this.world.scheduler().after(length, () -> this.running = false);
	}

}
