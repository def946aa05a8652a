package io.distributedlock.faults;

import java.time.Duration;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The drivers that an application may bring. Both wait a minute for an answer, as Lettuce
 * does by default, so that no test passes only because a driver is impatient.
 */
enum Driver {

	LETTUCE {

		@Override
		RedisConnectionFactory connect(String host, int port) {
			LettuceConnectionFactory factory = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration(host, port),
					LettuceClientConfiguration.builder()
						.shutdownQuietPeriod(Duration.ZERO)
						.clientOptions(ClientOptions.builder()
							.socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(2)).build())
							.build())
						.build());
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	},

	JEDIS {

		@Override
		RedisConnectionFactory connect(String host, int port) {
			JedisConnectionFactory factory = new JedisConnectionFactory(new RedisStandaloneConfiguration(host, port),
					JedisClientConfiguration.builder().readTimeout(Duration.ofSeconds(60)).usePooling().build());
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

	};

	abstract RedisConnectionFactory connect(String host, int port);

}
