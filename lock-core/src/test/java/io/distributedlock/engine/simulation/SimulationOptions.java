package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.store.LockKey;

/** The requests of the callers of a simulated world. */
final class SimulationOptions {

	static final List<LockKey> KEYS = Stream.of("a", "b", "c", "d", "e", "f", "g", "h")
		.map((key) -> new LockKey("", key))
		.toList();

	/** The number of keys that are asked for in most worlds. */
	static final int FEW_KEYS = 3;

	/** The wait that stands for one without an end. */
	static final Duration FOREVER = Duration.ofSeconds(10);

	static final long LONGEST_TTL_NANOS = 3_000_000_000L;

	static final long LONGEST_DELAY_NANOS = 1_000_000_000L;

	private SimulationOptions() {
	}

	/** A request of a mode for some of the keys. */
	static LockRequest request(SimulationChance chance, List<String> keys, LockMode mode) {
		LockRequest request = LockRequest.ofAll(keys)
			.ttl(ttl(chance))
			.renew(chance.of(0.7))
			.waitFor(Duration.ofMillis(chance.oneOf(0, 100, 1000, 1000, 4000, 4000, 10_000)));
		if (chance.of(0.15)) {
			request = request.maxHold(Duration.ofNanos(chance.millis(50, 1500)));
		}
		return (mode.isExclusive() && chance.of(0.12)) ? request.keepFor(Duration.ofNanos(chance.millis(50, 1500)))
				: request;
	}

	static Duration ttl(SimulationChance chance) {
		return Duration.ofMillis(chance.oneOf(300, 300, 600, 1000, 1000, 3000));
	}

	/** Return one key, mostly, or a set of several. */
	static List<String> keys(SimulationChance chance, int known) {
		int first = chance.below(known);
		List<String> keys = new ArrayList<>();
		for (int i = 0; i < known; i++) {
			if (i == first || chance.of(0.15)) {
				keys.add(KEYS.get(i).key());
			}
		}
		return keys;
	}

	static LockTerms terms(LockRequest request) {
		return LockTerms.of(LockProfiles.DEFAULTS, request.name(), request.options());
	}

}
