package io.distributedlock.memory;

import io.distributedlock.engine.EndedFromOutsideContractTests;
import io.distributedlock.engine.ExtendContractTests;
import io.distributedlock.engine.LeaseContractTests;
import io.distributedlock.engine.LeaseHandleContractTests;
import io.distributedlock.engine.LeaseLockContractTests;
import io.distributedlock.engine.LockDelayContractTests;
import io.distributedlock.engine.LockRegistryContractTests;
import io.distributedlock.engine.SeveralKeysContractTests;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The engine's contracts on the memory store. */
@Execution(ExecutionMode.CONCURRENT)
class MemoryContractTests {

	@Nested
	class Registry extends LockRegistryContractTests {

		Registry() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Leases extends LeaseContractTests {

		Leases() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Extends extends ExtendContractTests {

		Extends() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Handles extends LeaseHandleContractTests {

		Handles() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Delays extends LockDelayContractTests {

		Delays() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Locks extends LeaseLockContractTests {

		Locks() {
			super(new SharedMemory());
		}

	}

	@Nested
	class EndedFromOutside extends EndedFromOutsideContractTests {

		EndedFromOutside() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Sets extends SeveralKeysContractTests {

		Sets() {
			super(new SharedMemory());
		}

	}

}
