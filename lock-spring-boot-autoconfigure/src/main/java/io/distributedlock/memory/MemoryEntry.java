package io.distributedlock.memory;

/**
 * In which way a request comes to a lock.
 */
enum MemoryEntry {

	/** Takes it when nobody is in the way. */
	IN_TURN,

	/** Takes it when nobody has it, whoever waits. */
	CLAIM,

	/** Takes it when nobody has it, also if the request has ended before. */
	CLAIM_AGAIN,

	/** Waits for it. */
	STAND_IN_LINE;

	boolean isClaim() {
		return this == CLAIM || this == CLAIM_AGAIN;
	}

}
