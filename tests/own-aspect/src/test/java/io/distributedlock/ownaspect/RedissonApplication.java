package io.distributedlock.ownaspect;

import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** An application with Redisson and this library on one Redis. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(HomeMadeAspect.class)
class RedissonApplication {

	@Bean(destroyMethod = "shutdown")
	RedissonClient redisson(Environment environment) {
		Config config = new Config();
		config.useSingleServer()
			.setAddress("redis://" + environment.getRequiredProperty("spring.data.redis.host") + ":"
					+ environment.getRequiredProperty("spring.data.redis.port"))
			.setConnectionPoolSize(8)
			.setConnectionMinimumIdleSize(1);
		return Redisson.create(config);
	}

	@Bean
	Function<String, Lock> homeMadeLocks(RedissonClient redisson) {
		return redisson::getLock;
	}

}
