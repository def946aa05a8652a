package io.distributedlock.memory;

import io.distributedlock.engine.FairLockContractTests;
import io.distributedlock.engine.ReadWriteLockContractTests;
import io.distributedlock.engine.SemaphoreContractTests;
import io.distributedlock.engine.SeveralPermitsContractTests;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The engine's contracts of modes on the memory store. */
@Execution(ExecutionMode.CONCURRENT)
class MemoryModeContractTests {

	@Nested
	class ReadWrite extends ReadWriteLockContractTests {

		ReadWrite() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Fair extends FairLockContractTests {

		Fair() {
			super(new SharedMemory());
		}

	}

	@Nested
	class SeveralPermits extends SeveralPermitsContractTests {

		SeveralPermits() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Permits extends SemaphoreContractTests {

		Permits() {
			super(new SharedMemory());
		}

	}

}
