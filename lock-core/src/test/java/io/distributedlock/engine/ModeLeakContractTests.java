package io.distributedlock.engine;

import java.time.Duration;
import java.util.Random;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.Searches;

/**
 * The same for requests in different modes, and for requests of several keys.
 */
public abstract class ModeLeakContractTests extends LeakContractTests {

	protected ModeLeakContractTests(SharedLocks locks) {
		super(locks);
	}

	@Override
	int rounds() {
		return Searches.share(30_000);
	}

	/** More, because some of them have to wait for several others. */
	@Override
	int patience() {
		return 5_000_000;
	}

	@Override
	LockRequest wanted(Random random) {
		// A key that readers have used is remembered for the longest of their leases.
		LockRequest one = super.wanted(random).ttl(Duration.ofSeconds(5));
		return switch (random.nextInt(6)) {
			case 0 -> one.mode(LockMode.EXCLUSIVE);
			case 1 -> one.mode(this.locks.queued());
			case 2 -> one.mode(LockMode.READ);
			case 3 -> one.mode(LockMode.READ).ownedByCurrentThread();
			case 4 -> LockRequest.of(this.key + "-permits").ttl(Duration.ofSeconds(5)).permits(2);
			default ->
				LockRequest.ofAll(this.key + "-0", this.key + "-2").ttl(Duration.ofSeconds(5)).mode(LockMode.READ);
		};
	}

}
