package io.distributedlock.redis.internal.driver;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The server of a node, as a driver has to know it.
 *
 * @param configuration the address, the database and the user
 * @param password the password as it was given, which the configuration forgets if it is
 * empty, or {@code null} for none
 * @param tls the protocols and ciphers, or {@code null} if the connection is not
 * encrypted
 * @param keys the certificate of the client, or {@code null} for none
 * @param trust the trusted authorities, or {@code null} for those of the JVM
 */
public record NodeServer(RedisStandaloneConfiguration configuration, @Nullable String password,
		@Nullable SSLParameters tls, @Nullable KeyManagerFactory keys, @Nullable TrustManagerFactory trust) {

	/** The address without user and password. */
	@Override
	public String toString() {
		return this.configuration.getHostName() + ':' + this.configuration.getPort();
	}

}
