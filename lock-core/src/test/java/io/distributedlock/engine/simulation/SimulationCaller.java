package io.distributedlock.engine.simulation;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.instance.LockTerms;

/** A caller that acquires, holds and releases locks over and over. */
final class SimulationCaller {

	private static final int DEEPEST = 3;

	private final SimulationWorld world;

	private final SimulationChance chance;

	private final SimulationInstance instance;

	private final String name;

	SimulationCaller(SimulationInstance instance, String name) {
		this.instance = instance;
		this.world = instance.world();
		this.chance = this.world.chance();
		this.name = name;
	}

	void start() {
		this.instance.after(pause(), this::next);
	}

	private long pause() {
		return this.chance.millis(0, this.chance.oneOf(5, 50, 1000));
	}

	private void next() {
		if (!this.world.isEnding() && !this.instance.engine().instance().isClosed()) {
			String owner = this.chance.oneOf(null, this.name, this.name, this.instance + "'s");
			List<String> keys = this.world.modes().alike(SimulationOptions.keys(this.chance, this.world.keyCount()));
			ask(owner, keys, this.world.modes().any(keys), 1, this::start);
		}
	}

	private void ask(String owner, List<String> keys, LockMode mode, int depth, Runnable after) {
		LockRequest request = this.world.modes().in(mode, SimulationOptions.request(this.chance, keys, mode));
		SimulationCall call = new SimulationCall(this.instance, (owner != null) ? request.ownedBy(owner) : request,
				(hold) -> hold(hold, owner, depth, after), after);
		call.start();
		if (this.chance.of(0.2)) {
			this.instance.after(pause(), call::giveUp);
		}
	}

	private void hold(SimulationHold hold, String owner, int depth, Runnable after) {
		long length = this.chance.millis(0, this.chance.oneOf(1, 20, 200, 3000));
		if (this.chance.of(0.05)) {
			this.instance.after(this.chance.upTo(length), hold::detach);
		}
		else if (owner != null && depth < DEEPEST && this.chance.of(0.3)) {
			this.instance.after(this.chance.upTo(length), () -> askAgain(hold, owner, depth));
		}
		if (this.chance.of(0.1)) {
			this.instance.after(this.chance.upTo(length), () -> hold.extend(SimulationOptions.ttl(this.chance)));
		}
		boolean forgotten = owner == null && !isRenewedForEver(hold) && this.chance.of(0.05);
		this.instance.after(length, () -> {
			if (!forgotten) {
				hold.release();
			}
			after.run();
		});
	}

	private static boolean isRenewedForEver(SimulationHold hold) {
		LockTerms terms = hold.call().terms();
		return terms.renew && terms.maxHoldNanos > 10_000_000_000L;
	}

	/** Enter once more; which hold ends first is open. */
	private void askAgain(SimulationHold outer, String owner, int depth) {
		if (outer.believes() && !this.world.isEnding()) {
			List<String> keys = new ArrayList<>(outer.call().request().keys());
			if (keys.size() > 1 && this.chance.of(0.5)) {
				keys.remove(this.chance.below(keys.size()));
			}
			ask(owner, keys, this.world.modes().again(outer.call().terms().mode), depth + 1, () -> {
			});
		}
	}

}
