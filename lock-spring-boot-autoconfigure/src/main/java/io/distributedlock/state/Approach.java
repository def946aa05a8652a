package io.distributedlock.state;

/**
 * In which way a request comes to a lock.
 *
 * @since 0.1.0
 */
public enum Approach {

	/** Takes it when nothing is in the way, and waits otherwise. */
	IN_TURN,

	/** Takes it when no other request has it, also before those that wait. */
	CLAIM,

	/** As {@link #CLAIM}, also if the request has ended before. */
	CLAIM_AGAIN,

	/** Only waits for it. */
	STAND_IN_LINE;

	boolean isClaim() {
		return this == CLAIM || this == CLAIM_AGAIN;
	}

}
