package io.distributedlock.redis.driver;

/**
 * Gives connections to the primary of a key that have one user at a time. Thread-safe.
 */
public interface DedicatedConnections extends AutoCloseable {

	/**
	 * Whether keys are in different places, so that finding the place may take time.
	 */
	boolean isCluster();

	/**
	 * The place of a key. May block on a cluster.
	 * @param key the key
	 * @return what {@link #open} wants; scripts in the same place may share a connection
	 */
	String placeOf(byte[] key);

	/**
	 * Get a connection. Blocks.
	 * @param place where to
	 * @return the connection, to be closed after use
	 */
	DedicatedConnection open(String place);

	/**
	 * A key has moved for good.
	 * @param key the key
	 * @param address host and port of its new node
	 * @return its new place
	 */
	String moved(byte[] key, String address);

	/** Close what is idle, and from now on what is given back. */
	@Override
	void close();

}
