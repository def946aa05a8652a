package io.distributedlock.store;

/**
 * In which way a request comes to a lock. The engine only ever asks {@link #IN_TURN}. The
 * others are for a {@linkplain QuorumNode node of a quorum}, whose other nodes have
 * decided already which request gets the lock.
 *
 * @since 0.1.0
 */
public enum Approach {

	/** Takes the lock when nothing is in the way, and waits otherwise. */
	IN_TURN,

	/** Takes the lock when no other request has it, also before requests that wait. */
	CLAIM,

	/**
	 * Like {@link #CLAIM}, for a request that has held the lock on enough nodes up to
	 * now. It is not refused because it has ended on this one. It is still refused if a
	 * later request of its contender is known here.
	 */
	CLAIM_AGAIN,

	/** Leaves a waiter entry, as if the lock were busy, and takes nothing. */
	STAND_IN_LINE;

	/**
	 * Whether it comes before requests that wait.
	 * @return whether it is {@link #CLAIM} or {@link #CLAIM_AGAIN}
	 */
	public boolean isClaim() {
		return this == CLAIM || this == CLAIM_AGAIN;
	}

}
