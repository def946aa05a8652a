package io.distributedlock.autoconfigure;

/**
 * There is nothing to keep the locks in.
 */
final class NoLockStoreException extends RuntimeException {

	static final String ADD_REDIS = "Add spring-boot-starter-data-redis, and point spring.data.redis.* to your Redis.";

	static final String ADD_DRIVER = "Add io.lettuce:lettuce-core, which spring-boot-starter-data-redis brings, "
			+ "or redis.clients:jedis.";

	static final String ADD_LETTUCE = "Add io.lettuce:lettuce-core, which spring-boot-starter-data-redis brings. "
			+ "The application's own connections stay with Jedis by spring.data.redis.client-type=jedis.";

	private final String remedy;

	/**
	 * Create the exception.
	 * @param problem why there is no store, as a sentence
	 * @param remedy what cures this cause, as a sentence
	 */
	NoLockStoreException(String problem, String remedy) {
		super(problem);
		this.remedy = remedy;
	}

	String getRemedy() {
		return this.remedy;
	}

}
