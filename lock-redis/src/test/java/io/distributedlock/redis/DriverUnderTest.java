package io.distributedlock.redis;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.store.StoreCapability;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The drivers that an application may bring.
 */
public enum DriverUnderTest {

	LETTUCE {

		@Override
		RedisConnectionFactory connect(RedisStandaloneConfiguration server, Duration patience) {
			return lettuce(server, patience, true);
		}

	},

	/** The connection of the application, which shares none itself. */
	LETTUCE_UNSHARED {

		@Override
		RedisStoreSettings settings() {
			return RedisStoreSettings.DEFAULTS.withSharedConnection();
		}

		@Override
		RedisConnectionFactory connect(RedisStandaloneConfiguration server, Duration patience) {
			return lettuce(server, patience, false);
		}

	},

	JEDIS {

		@Override
		RedisConnectionFactory connect(RedisStandaloneConfiguration server, Duration patience) {
			return jedis(server, waiting(patience).usePooling().build());
		}

	};

	/** How long the drivers wait for a server: no busy machine takes so long. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	abstract RedisConnectionFactory connect(RedisStandaloneConfiguration server, Duration patience);

	final RedisConnectionFactory connect(RedisStandaloneConfiguration server) {
		return connect(server, PATIENCE);
	}

	final RedisConnectionFactory connect(RedisServer server) {
		return connect(new RedisStandaloneConfiguration(server.host(), server.port()));
	}

	RedisStoreSettings settings() {
		return RedisStoreSettings.DEFAULTS;
	}

	/** The capabilities of a store on a single server. */
	Set<StoreCapability> capabilities() {
		return (this == JEDIS) ? EnumSet.allOf(StoreCapability.class)
				: EnumSet.complementOf(EnumSet.of(StoreCapability.CALLER_THREAD));
	}

	/** How many clients a server has, but for the one that asks. */
	public static long connections(RedisServer server) {
		return server.ask("CLIENT", "LIST", "TYPE", "normal").toString().strip().lines().count() - 1;
	}

	public static void close(RedisConnectionFactory factory) {
		if (factory instanceof LettuceConnectionFactory lettuce) {
			lettuce.destroy();
		}
		else {
			((JedisConnectionFactory) factory).destroy();
		}
	}

	/**
	 * A factory of Jedis with one connection, whose pool makes a second caller wait
	 * without end.
	 */
	static JedisConnectionFactory connectOnce(RedisServer server) {
		GenericObjectPoolConfig<Object> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(1);
		return jedis(new RedisStandaloneConfiguration(server.host(), server.port()),
				waiting(PATIENCE).usePooling().poolConfig(pool).build());
	}

	/** Let a factory have one client for all, which versions before 4.1 never have. */
	static void setUseUnifiedJedis(JedisConnectionFactory factory, boolean unified) {
		Method setter = ClassUtils.getMethodIfAvailable(JedisConnectionFactory.class, "setUseUnifiedJedis",
				boolean.class);
		if (setter != null) {
			ReflectionUtils.invokeMethod(setter, factory, unified);
		}
	}

	private static JedisClientConfigurationBuilder waiting(Duration patience) {
		return JedisClientConfiguration.builder().connectTimeout(patience).readTimeout(patience);
	}

	private static JedisConnectionFactory jedis(RedisStandaloneConfiguration server,
			JedisClientConfiguration configuration) {
		JedisConnectionFactory factory = new JedisConnectionFactory(server, configuration);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static RedisConnectionFactory lettuce(RedisStandaloneConfiguration server, Duration patience,
			boolean shared) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(server,
				LettuceClientConfiguration.builder()
					.shutdownQuietPeriod(Duration.ZERO)
					.commandTimeout(patience)
					.clientOptions(ClientOptions.builder()
						.socketOptions(SocketOptions.builder().connectTimeout(patience).build())
						.build())
					.build());
		factory.setShareNativeConnection(shared);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
