package io.distributedlock.sample.id;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The generator of order numbers. */
@Configuration(proxyBeanMethods = false)
class IdConfiguration {

	@Bean
	RedisIdGenerator orderNumbers(StringRedisTemplate redis) {
		return new RedisIdGenerator(redis, "flash-sale:order-numbers");
	}

}
