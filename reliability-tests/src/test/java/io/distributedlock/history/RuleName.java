package io.distributedlock.history;

/** What a history is checked for. */
public enum RuleName {

	/** Two holders never believe at the same time. */
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

	/** What is over stays over. */
	C9_UNKNOWN_OUTCOME,

	/** Who loses the lock is told in time, and only who does. */
	C10_DETECTION,

	/** Who came first is served first where that is promised. */
	C11_ORDER

}
