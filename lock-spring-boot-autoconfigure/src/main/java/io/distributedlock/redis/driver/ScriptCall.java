package io.distributedlock.redis.driver;

/**
 * A script on its way over a {@link DedicatedConnection}.
 */
public interface ScriptCall {

	/** What to run. */
	RedisScript script();

	/** Its keys. */
	byte[][] keys();

	/** Its arguments. */
	byte[][] args();

	/** Whether to send the text instead of the digest. */
	boolean isBySource();

	/** Whether to ask a node for a key that is just moving to it. */
	boolean isAsking();

}
