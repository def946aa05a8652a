package io.distributedlock.engine;

import java.util.Random;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;

/**
 * The same for those who want a lock in different modes, and for those who want several.
 */
public abstract class ModeLeakContractTests extends LeakContractTests {

	protected ModeLeakContractTests(SharedLocks locks) {
		super(locks);
	}

	@Override
	int rounds() {
		return 4_000;
	}

	@Override
	LockRequest wanted(Random random) {
		LockRequest one = super.wanted(random);
		return switch (random.nextInt(6)) {
			case 0 -> one.mode(LockMode.WRITE);
			case 1 -> one.mode(LockMode.FAIR);
			case 2 -> one.mode(LockMode.READ);
			case 3 -> one.mode(LockMode.READ).ownedByCurrentThread();
			case 4 -> LockRequest.of(this.key + "-permits").permits(2);
			default -> LockRequest.of(this.key + "-0", this.key + "-2").mode(LockMode.READ);
		};
	}

}
