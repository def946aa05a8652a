package io.distributedlock.sample.server;

import io.distributedlock.embedded.RedisServer;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Provides the addresses of the servers. */
@Configuration(proxyBeanMethods = false)
class EndpointsConfiguration {

	@Bean
	Endpoints endpoints(ObjectProvider<RedisServer> redis, ObjectProvider<SharedDatabase> database) {
		Endpoints endpoints = Endpoints.none();
		RedisServer server = redis.getIfAvailable();
		if (server != null) {
			endpoints = endpoints.withRedis(server.host(), server.port());
		}
		SharedDatabase shared = database.getIfAvailable();
		return (shared != null) ? endpoints.withDatabase(shared) : endpoints;
	}

}
