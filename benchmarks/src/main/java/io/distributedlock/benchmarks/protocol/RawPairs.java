package io.distributedlock.benchmarks.protocol;

import java.util.List;
import java.util.UUID;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * The cheapest lock with an owner: {@code SET NX PX}, and a script that compares and
 * deletes.
 */
public final class RawPairs {

	private static final String DELETE_OWN = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

	private static final int LEASE_MILLIS = 30_000;

	private RawPairs() {
	}

	/**
	 * Commands of Lettuce on one connection.
	 * @param commands the commands of the connection
	 * @return the pair
	 */
	public static Pair on(RedisCommands<String, String> commands) {
		String delete = commands.scriptLoad(DELETE_OWN);
		String owner = UUID.randomUUID().toString();
		return new Pair() {

			@Override
			public boolean acquire(String key) {
				return commands.set(key, owner, SetArgs.Builder.nx().px(LEASE_MILLIS)) != null;
			}

			@Override
			public void release(String key) {
				commands.<Long>evalsha(delete, ScriptOutputType.INTEGER, new String[] { key }, owner);
			}

		};
	}

	/**
	 * Commands of Jedis, with the pool that the driver has by default.
	 * @param commands the commands of the pool
	 * @return the pair
	 */
	public static Pair on(RedisClient commands) {
		String delete = commands.scriptLoad(DELETE_OWN);
		String owner = UUID.randomUUID().toString();
		return new Pair() {

			@Override
			public boolean acquire(String key) {
				return commands.set(key, owner, SetParams.setParams().nx().px(LEASE_MILLIS)) != null;
			}

			@Override
			public void release(String key) {
				commands.evalsha(delete, List.of(key), List.of(owner));
			}

		};
	}

	/** Takes a key once, without waiting, and releases it. */
	public interface Pair {

		/**
		 * Try to take a key.
		 * @param key the key
		 * @return {@code true} if it was free
		 */
		boolean acquire(String key);

		/**
		 * Release a key that was taken.
		 * @param key the key
		 */
		void release(String key);

	}

}
