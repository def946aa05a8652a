package io.distributedlock.redis;

import java.util.EnumMap;
import java.util.Map;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One server, and one connection factory for each driver, for all tests that do not
 * torture them. They end with the JVM. The drivers log in as a user who may do what is
 * documented and no more.
 */
final class SharedRedis {

	/** What tests set for {@code lock:}, so that each has locks of its own. */
	private static final String[] PREFIXES = { "lettuce", "jedis", "block-hound" };

	static final RedisServer SERVER = RedisServers.start();

	private static final Map<RedisDriver, RedisConnectionFactory> FACTORIES = new EnumMap<>(RedisDriver.class);

	private static final RedisConnectionFactory ADMINISTRATOR = RedisDriver.LETTUCE.connect(SERVER);

	static {
		LeastPrivilege.create(SERVER);
		for (String prefix : PREFIXES) {
			SERVER.ask("ACL", "SETUSER", LeastPrivilege.USER, RedisPermission.keys(prefix),
					RedisPermission.channels(prefix));
		}
	}

	private SharedRedis() {
	}

	static synchronized RedisConnectionFactory factory(RedisDriver driver) {
		return FACTORIES.computeIfAbsent(driver, (missing) -> missing.connect(LeastPrivilege.at(SERVER)));
	}

	/** For what the tests do besides, without any restriction. */
	static RedisConnectionFactory administrator() {
		return ADMINISTRATOR;
	}

}
