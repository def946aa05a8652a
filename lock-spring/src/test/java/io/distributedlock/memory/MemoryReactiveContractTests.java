package io.distributedlock.memory;

import io.distributedlock.reactive.ReactiveBodyContractTests;
import io.distributedlock.reactive.ReactiveLockContractTests;
import io.distributedlock.reactive.ReactiveModeContractTests;
import org.junit.jupiter.api.Nested;

/** The reactive contracts on the memory store. */
class MemoryReactiveContractTests {

	@Nested
	class Reactive extends ReactiveLockContractTests {

		Reactive() {
			super(new SharedMemory());
		}

	}

	@Nested
	class ReactiveBodies extends ReactiveBodyContractTests {

		ReactiveBodies() {
			super(new SharedMemory());
		}

	}

	@Nested
	class ReactiveModes extends ReactiveModeContractTests {

		ReactiveModes() {
			super(new SharedMemory());
		}

	}

}
