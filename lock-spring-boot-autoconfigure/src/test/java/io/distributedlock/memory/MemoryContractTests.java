package io.distributedlock.memory;

import io.distributedlock.engine.FairLockContractTests;
import io.distributedlock.engine.LeakContractTests;
import io.distributedlock.engine.LeaseContractTests;
import io.distributedlock.engine.LeaseLockContractTests;
import io.distributedlock.engine.LockRegistryContractTests;
import io.distributedlock.engine.ModeLeakContractTests;
import io.distributedlock.engine.ReadWriteLockContractTests;
import io.distributedlock.engine.SemaphoreContractTests;
import io.distributedlock.engine.SeveralKeysContractTests;
import io.distributedlock.reactive.ReactiveBodyContractTests;
import io.distributedlock.reactive.ReactiveLeakContractTests;
import io.distributedlock.reactive.ReactiveLockContractTests;
import io.distributedlock.reactive.ReactiveModeContractTests;
import org.junit.jupiter.api.Nested;

/** The engine's contracts on the memory store. */
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
	class Locks extends LeaseLockContractTests {

		Locks() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Leaks extends LeakContractTests {

		Leaks() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Sets extends SeveralKeysContractTests {

		Sets() {
			super(new SharedMemory());
		}

	}

	@Nested
	class Reactive extends ReactiveLockContractTests {

		Reactive() {
			super(new SharedMemory());
		}

	}

	@Nested
	class ReactiveLeaks extends ReactiveLeakContractTests {

		ReactiveLeaks() {
			super(new SharedMemory());
		}

	}

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
	class Permits extends SemaphoreContractTests {

		Permits() {
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
