package io.distributedlock.history;

/**
 * The meaning of a fault to the checker. The phase {@link Event.Phase#INVOKE} is its
 * begin, {@link Event.Phase#OK} its end; one that is over at once has both all the same.
 */
public enum NemesisKind {

	/** A process is killed; at its end the process is certainly gone. */
	KILL,

	/** A process stands still, with its connections open. */
	STOP,

	/** The store has certainly forgotten the lock, or all of them, at its end. */
	LOSS,

	/** The store may have forgotten: an eviction, a restart of a node. */
	DOUBT,

	/**
	 * The store may have forgotten, and its answers since shortly before may be undone: a
	 * fail-over, or a restart that lost the last second.
	 */
	FAILOVER,

	/**
	 * A node of several independent ones, named as the target, may have forgotten its
	 * grants and who is in line there. Excuses nothing in their common decisions.
	 */
	NODE,

	/** Answers are late or do not come at all, for one process or all. */
	OUTAGE,

	/**
	 * A fault that no caller may notice, such as a flush of scripts or a lost message.
	 */
	NOISE

}
