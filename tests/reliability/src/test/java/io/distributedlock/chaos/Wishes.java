package io.distributedlock.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.history.Event.Mode;
import io.distributedlock.store.StoreCapability;

/** Makes up requests for a worker. Used by one thread. */
final class Wishes {

	private static final Duration[] TTLS = { Duration.ofMillis(800), Duration.ofMillis(1200),
			ChaosSettings.LONGEST_TTL };

	/** How many permits each semaphore has. */
	static final int PERMITS = 3;

	private final ChaosKeys keys;

	private final Random random;

	/** The mode with a queue, or another one where the store has none. */
	private final LockMode queued;

	Wishes(ChaosKeys keys, Random random, Set<StoreCapability> capabilities) {
		this.keys = keys;
		this.random = random;
		this.queued = capabilities.contains(StoreCapability.FAIR) ? LockMode.FAIR : LockMode.EXCLUSIVE;
	}

	/** A lock to hold for long. */
	Wish held() {
		return wish(LockMode.EXCLUSIVE, this.keys.held(number()));
	}

	/** An exclusive lock, a quarter of the time the same one. */
	Wish busy() {
		return wish(LockMode.EXCLUSIVE, this.keys.busy((this.random.nextInt(4) == 0) ? 0 : number()));
	}

	Wish shared(LockMode mode) {
		return wish(mode, this.keys.shared(number()));
	}

	/** A lock of any kind. */
	Wish any() {
		int dice = this.random.nextInt(100);
		if (dice < 45) {
			return busy();
		}
		if (dice < 52) {
			return wish(LockMode.EXCLUSIVE, this.keys.together(number()));
		}
		if (dice < 68) {
			return shared(LockMode.READ);
		}
		if (dice < 74) {
			return shared((this.random.nextInt(4) == 0) ? this.queued : LockMode.EXCLUSIVE);
		}
		if (dice < 88) {
			return wish(this.queued, this.keys.fair(number()));
		}
		String key = this.keys.permits(number());
		return new Wish(List.of(key), request(key).permits(PERMITS), Mode.S, PERMITS);
	}

	/** Two locks in one slot. */
	Wish together() {
		return pair(this.keys::together);
	}

	/** Two locks that may be anywhere. */
	Wish parts() {
		return pair(this.keys::part);
	}

	/** Two locks that others take alone. */
	Wish busyOnes() {
		return pair(this.keys::busy);
	}

	private Wish pair(IntFunction<String> name) {
		int first = number();
		String[] pair = Stream.of(name.apply(first), name.apply(first + 1)).sorted().toArray(String[]::new);
		LockMode[] modes = { LockMode.EXCLUSIVE, LockMode.READ, this.queued };
		return wish(modes[this.random.nextInt(modes.length)], pair);
	}

	private Wish wish(LockMode mode, String... keys) {
		return new Wish(List.of(keys), request(keys).mode(mode), modeOf(mode), 0);
	}

	private static Mode modeOf(LockMode mode) {
		return switch (mode) {
			case READ -> Mode.R;
			case FAIR -> Mode.F;
			default -> Mode.X;
		};
	}

	private LockRequest request(String... keys) {
		return LockRequest.ofAll(keys).ttl(TTLS[this.random.nextInt(TTLS.length)]).waitFor(upTo(4000));
	}

	Duration upTo(int millis) {
		return Duration.ofMillis(1 + this.random.nextInt(millis));
	}

	private int number() {
		return this.random.nextInt(this.keys.count());
	}

}
