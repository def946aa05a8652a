package io.distributedlock.sample.id;

/**
 * A source of ids that are unique across all instances, positive, and roughly ordered by
 * time. Of two ids that were made more than one second apart, the later one is larger.
 */
@FunctionalInterface
public interface IdGenerator {

	/**
	 * Make an id. Thread-safe.
	 * @return an id that was not given out before
	 * @throws IdsUnavailableException if no block of ids could be reserved in time
	 */
	long next();

}
