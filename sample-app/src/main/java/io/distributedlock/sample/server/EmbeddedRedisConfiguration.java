package io.distributedlock.sample.server;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Starts a real Redis, which ends with the main process. */
@Configuration(proxyBeanMethods = false)
@Conditional(OnNoRedisConfigured.class)
class EmbeddedRedisConfiguration {

	@Bean
	RedisServer redisServer() {
		RedisServer server = RedisServers.start();
		LogFactory.getLog(EmbeddedRedisConfiguration.class).info("Started " + server.description());
		return server;
	}

	/** Override the properties, so that no other bean needs the port. */
	@Bean
	DataRedisConnectionDetails redisServerConnectionDetails(RedisServer server) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of(server.host(), server.port());
			}

		};
	}

}
