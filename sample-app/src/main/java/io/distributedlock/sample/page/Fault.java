package io.distributedlock.sample.page;

/** A fault that the page causes in an instance that holds the lock. */
enum Fault {

	/** Stop all of its threads for longer than its lease, and let them go on. */
	FREEZE,

	/** End its process. */
	KILL,

	/** Cut its connections to Redis. */
	CUT,

	/** Restart Redis without its data. */
	RESTART_REDIS

}
