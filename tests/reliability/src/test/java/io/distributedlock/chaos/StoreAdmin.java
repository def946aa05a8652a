package io.distributedlock.chaos;

import java.time.Duration;
import java.util.List;

/** A server with locks, as the end of a run looks at it. Used by one thread at a time. */
interface StoreAdmin extends AutoCloseable {

	/** The type of a key that there is not. */
	String GONE = "none";

	/** Wait until the server answers. */
	void awaitAnswer();

	/** The keys that the server has of locks. */
	List<String> keys();

	/** The type of a key, as Redis has it. */
	String type(String name);

	/** The life of a key in milliseconds, less than zero if it never fades. */
	long life(String name);

	/** Return whether a key has a holder, by the server's shifted clock. */
	boolean isTaken(String name, String type, Duration shift);

	/** The channels that have subscribers. */
	List<String> channels();

	/** How many clients of workers the server has. */
	int otherClients();

	@Override
	void close();

}
