package io.distributedlock.redis.internal.lettuce;

import java.util.Objects;

import io.distributedlock.redis.internal.driver.ClientSettings;
import io.lettuce.core.SslVerifyMode;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Reads the settings of Lettuce that another driver can have as well. */
public final class LettuceSettings {

	private LettuceSettings() {
	}

	/**
	 * Read the settings of a connection factory.
	 * @return the settings, or {@code null} if the factory is not that of Lettuce
	 * @throws IllegalArgumentException if the connections need something that only
	 * Lettuce has; the message goes on after "jedis"
	 */
	public static @Nullable ClientSettings of(RedisConnectionFactory factory) {
		if (!(factory instanceof LettuceConnectionFactory lettuce)) {
			return null;
		}
		if (factory.getClass() != LettuceConnectionFactory.class) {
			throw new IllegalArgumentException("cannot have what %s adds to the connection factory of Lettuce"
				.formatted(factory.getClass().getName()));
		}
		LettuceClientConfiguration client = lettuce.getClientConfiguration();
		if (client.getRedisCredentialsProviderFactory().isPresent()) {
			throw new IllegalArgumentException("cannot use a credentials provider of Lettuce");
		}
		if (client.isStartTls()) {
			throw new IllegalArgumentException("cannot use StartTLS");
		}
		if (client.isUseSsl() && client.getVerifyMode() == SslVerifyMode.NONE) {
			throw new IllegalArgumentException("cannot trust every certificate");
		}
		return new ClientSettings(Objects.requireNonNull(new LettuceDriver(lettuce, false).target().configuration()),
				client.getCommandTimeout(),
				client.getClientOptions().map((options) -> options.getSocketOptions().getConnectTimeout()).orElse(null),
				client.getClientName().orElse(null), client.isUseSsl(), client.getVerifyMode() == SslVerifyMode.FULL);
	}

}
