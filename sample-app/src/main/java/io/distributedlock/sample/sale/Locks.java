package io.distributedlock.sample.sale;

/** Place of the locks of a sale. */
public enum Locks {

	/** The Redis of the sample. The database compares fencing tokens. */
	IN_REDIS,

	/**
	 * The database in which the sale writes, a PostgreSQL. It compares no tokens: it lets
	 * only the owner of the lock commit.
	 */
	IN_DATABASE

}
