package io.distributedlock.engine.simulation;

import java.time.Duration;

import io.distributedlock.LockRequest;

/**
 * A caller that wants the same lock as all others, and mostly by the same terms, so that
 * those of one instance hand it on.
 */
final class SimulationHerd {

	private final SimulationInstance instance;

	private final SimulationWorld world;

	private final SimulationChance chance;

	SimulationHerd(SimulationInstance instance) {
		this.instance = instance;
		this.world = instance.world();
		this.chance = this.world.failOver().chance();
	}

	void start() {
		this.instance.after(this.chance.millis(0, this.chance.oneOf(5, 200, 500)), this::ask);
	}

	private void ask() {
		if (this.world.isEnding() || this.instance.engine().instance().isClosed()) {
			return;
		}
		LockRequest request = LockRequest.of(SimulationOptions.KEYS.get(0).key())
			.ttl(this.chance.of(0.95) ? this.world.failOver().ttl() : Duration.ofMillis(2500))
			.renew(this.chance.of(0.9))
			.waitFor(Duration.ofMillis(this.chance.oneOf(0, 500, 4000, 4000, 4000)));
		SimulationCall call = new SimulationCall(this.instance, request, this::hold, this::start);
		call.start();
		if (this.chance.of(0.1)) {
			this.instance.after(this.chance.millis(0, 1000), call::giveUp);
		}
	}

	private void hold(SimulationHold hold) {
		this.instance.after(this.chance.millis(0, this.chance.oneOf(1, 1, 20, 600)), () -> {
			hold.release();
			start();
		});
	}

}
