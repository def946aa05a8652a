package io.distributedlock.redis;

import java.util.EnumMap;
import java.util.Map;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A server, and a connection factory for each driver, for all tests that do not torture
 * them. They end with the JVM. The drivers log in as a user who has the documented rights
 * and no more.
 */
final class SharedRedis {

	static final RedisServer SERVER = RedisServers.start(LeastPrivilege.serverSettings());

	private static final Map<DriverUnderTest, RedisConnectionFactory> FACTORIES = new EnumMap<>(DriverUnderTest.class);

	private static final RedisConnectionFactory ADMINISTRATOR = DriverUnderTest.LETTUCE.connect(SERVER);

	private SharedRedis() {
	}

	static synchronized RedisConnectionFactory factory(DriverUnderTest driver) {
		return FACTORIES.computeIfAbsent(driver, (missing) -> missing.connect(LeastPrivilege.at(SERVER)));
	}

	/** Return the factory for other commands of the tests, without restrictions. */
	static RedisConnectionFactory administrator() {
		return ADMINISTRATOR;
	}

}
