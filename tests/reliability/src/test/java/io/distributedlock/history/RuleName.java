package io.distributedlock.history;

/** The rules that a history is checked for. */
public enum RuleName {

	/** Two holders never consider their leases valid at the same time. */
	C1_EXCLUSION,

	/** A later acquisition has a larger token. */
	C2_TOKEN_ORDER,

	/** A fenced register loses no update and refuses only the stale. */
	C3_FENCED_REGISTER,

	/** No request waits for a lock that is free. */
	C4_BOUNDED_WAIT,

	/** Nothing is left behind. */
	C5_LEAKS,

	/** Nested sections are counted right. */
	C6_REENTRANCE,

	/** Readers and writers exclude each other, and writers get their turn. */
	C7_READ_WRITE,

	/** A semaphore gives out no more permits than it has. */
	C8_SEMAPHORE,

	/** A request or lease that has ended stays ended. */
	C9_UNKNOWN_OUTCOME,

	/** A holder that loses the lock is notified in time, and no other holder is. */
	C10_DETECTION,

	/** Waiters are served in the order of their arrival where that is promised. */
	C11_ORDER

}
