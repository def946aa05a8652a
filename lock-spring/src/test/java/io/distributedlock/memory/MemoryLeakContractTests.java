package io.distributedlock.memory;

import io.distributedlock.engine.LeakContractTests;
import io.distributedlock.engine.ModeLeakContractTests;
import io.distributedlock.reactive.ReactiveLeakContractTests;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The contracts about leaks on the memory store. They look at the threads of the process,
 * so that no other tests run beside them.
 */
@Isolated
class MemoryLeakContractTests {

	@Nested
	class Leaks extends LeakContractTests {

		Leaks() {
			super(new SharedMemory());
		}

	}

	@Nested
	class ModeLeaks extends ModeLeakContractTests {

		ModeLeaks() {
			super(new SharedMemory());
		}

	}

	@Nested
	class ReactiveLeaks extends ReactiveLeakContractTests {

		ReactiveLeaks() {
			super(new SharedMemory());
		}

	}

}
