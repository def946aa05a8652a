package io.distributedlock.memory;

import io.distributedlock.reactive.NonBlockingContract;

/** Nothing blocks on the memory store. */
class MemoryNonBlockingTests extends NonBlockingContract {

	MemoryNonBlockingTests() {
		super(new SharedMemory());
	}

}
