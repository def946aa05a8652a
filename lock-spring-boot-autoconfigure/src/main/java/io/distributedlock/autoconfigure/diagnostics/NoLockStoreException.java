package io.distributedlock.autoconfigure.diagnostics;

/**
 * There is nothing to keep the locks in.
 */
public final class NoLockStoreException extends RuntimeException {

	/** The remedy where Spring Data Redis is missing. */
	public static final String ADD_REDIS = "Add spring-boot-starter-data-redis, and point spring.data.redis.* to your Redis.";

	/** The remedy where there is no driver. */
	public static final String ADD_DRIVER = "Add io.lettuce:lettuce-core, which spring-boot-starter-data-redis brings, "
			+ "or redis.clients:jedis.";

	/** The remedy where Lettuce is needed and missing. */
	public static final String ADD_LETTUCE = "Add io.lettuce:lettuce-core, which spring-boot-starter-data-redis brings. "
			+ "The application's own connections stay with Jedis by spring.data.redis.client-type=jedis.";

	private final String remedy;

	/**
	 * Create the exception.
	 * @param problem why there is no store, as a sentence
	 * @param remedy what cures this cause, as a sentence
	 */
	public NoLockStoreException(String problem, String remedy) {
		super(problem);
		this.remedy = remedy;
	}

	String getRemedy() {
		return this.remedy;
	}

}
