package io.distributedlock.redis.internal.driver;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The server of a node, as a driver has to know it.
 *
 * @param configuration the address, the database and the user
 * @param password the password as it was given, which the configuration forgets if it is
 * empty, or {@code null} for none
 * @param tls {@code true} if the connection is encrypted
 */
public record NodeServer(RedisStandaloneConfiguration configuration, @Nullable String password, boolean tls) {

	/** The address without user and password. */
	@Override
	public String toString() {
		return this.configuration.getHostName() + ':' + this.configuration.getPort();
	}

}
