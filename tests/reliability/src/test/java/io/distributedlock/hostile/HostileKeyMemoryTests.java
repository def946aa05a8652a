package io.distributedlock.hostile;

/** Hostile keys in the memory of this process. */
class HostileKeyMemoryTests extends HostileKeyContractTests {

	HostileKeyMemoryTests() {
		super(new HostileMemory());
	}

}
