package io.distributedlock.redis;

import java.util.EnumMap;
import java.util.Map;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One server, and one connection factory for each driver, for all tests that do not
 * torture them. They end with the JVM.
 */
final class SharedRedis {

	static final RedisServer SERVER = RedisServers.start();

	private static final Map<RedisDriver, RedisConnectionFactory> FACTORIES = new EnumMap<>(RedisDriver.class);

	private SharedRedis() {
	}

	static synchronized RedisConnectionFactory factory(RedisDriver driver) {
		return FACTORIES.computeIfAbsent(driver, (missing) -> missing.connect(SERVER));
	}

}
