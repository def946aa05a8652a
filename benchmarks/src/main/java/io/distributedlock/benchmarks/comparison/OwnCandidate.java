package io.distributedlock.benchmarks.comparison;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;

import io.distributedlock.Lease;
import io.distributedlock.LockOptions;
import io.distributedlock.LockRequest;
import io.distributedlock.benchmarks.protocol.Instance;
import io.distributedlock.observation.MeterLockObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/**
 * This library, with its defaults.
 *
 * @param instance a registry
 * @param leases {@code true} to hold leases instead of locks
 */
record OwnCandidate(Instance instance, boolean leases) implements Candidate {

	static OwnCandidate lettuce(Place place) {
		return new OwnCandidate(Instance.lettuce(place.host(), place.port(), options(place)), false);
	}

	/**
	 * Create a candidate with timers of waits and holds, as an application with the
	 * actuator.
	 */
	static OwnCandidate observed(Place place) {
		return new OwnCandidate(Instance.observed(place.host(), place.port(), options(place),
				new MeterLockObserver(new SimpleMeterRegistry())), false);
	}

	static OwnCandidate leases(Place place) {
		return new OwnCandidate(Instance.lettuce(place.host(), place.port(), options(place)), true);
	}

	static OwnCandidate jedis(Place place) {
		return new OwnCandidate(Instance.jedis(place.host(), place.port(), options(place)), false);
	}

	private static LockOptions options(Place place) {
		return LockOptions.NONE.withTtl(place.lease());
	}

	@Override
	public Lock lock(String key) {
		return this.instance.registry().getLock(key);
	}

	@Override
	public Object hold(String key) {
		return this.leases ? this.instance.registry().acquire(LockRequest.of(key)) : Candidate.super.hold(key);
	}

	@Override
	public void release(Object held) {
		if (held instanceof Lease lease) {
			lease.close();
		}
		else {
			Candidate.super.release(held);
		}
	}

	@Override
	public CompletionStage<Runnable> lockAsync(String key) {
		return this.instance.registry()
			.acquireAsync(LockRequest.of(key).waitFor(Duration.ofMinutes(10)))
			.thenApply((lease) -> lease::release);
	}

	@Override
	public void close() {
		this.instance.close();
	}

}
