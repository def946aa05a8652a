package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockRequest;
import io.distributedlock.store.LockKey;

/**
 * A caller that acquires sets of locks that overlap those of others, and waits for ever.
 */
final class SimulationCrowd {

	/** Includes the turns of all other callers, which are short. */
	private static final long LONGEST_WAIT_NANOS = 30_000_000_000L;

	private final SimulationInstance instance;

	private final SimulationWorld world;

	private final SimulationChance chance;

	private final String name;

	private int left;

	SimulationCrowd(SimulationInstance instance, String name, int sets) {
		this.instance = instance;
		this.world = instance.world();
		this.chance = this.world.chance();
		this.name = name;
		this.left = sets;
	}

	void start() {
		if (this.left-- > 0) {
			this.instance.after(this.chance.millis(0, this.chance.oneOf(1, 20)), this::ask);
		}
	}

	private void ask() {
		List<String> keys = set();
		LockRequest request = LockRequest.ofAll(keys).ttl(Duration.ofSeconds(1)).waitFor(SimulationOptions.FOREVER);
		LockRequest chosen = this.world.modes().in(this.world.modes().any(keys), request);
		new SimulationCall(this.instance, this.chance.of(0.5) ? chosen.ownedBy(this.name) : chosen, this::hold,
				() -> this.world.violation("%s gets none of %s", this.name, keys))
			.start();
	}

	/** Two to four, in any order. */
	private List<String> set() {
		List<String> all = new ArrayList<>(SimulationOptions.KEYS.stream().map(LockKey::key).toList());
		List<String> set = new ArrayList<>();
		for (int i = 2 + this.chance.below(3); i > 0; i--) {
			set.add(all.remove(this.chance.below(all.size())));
		}
		return set;
	}

	private void hold(SimulationHold hold) {
		long waited = this.world.now() - hold.call().begunAt();
		if (waited > LONGEST_WAIT_NANOS) {
			this.world.violation("%s waited for %d ms", hold, waited / 1_000_000);
		}
		this.instance.after(this.chance.millis(0, this.chance.oneOf(1, 50)), () -> {
			hold.release();
			start();
		});
	}

}
