package io.distributedlock.redis.internal.driver;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * Settings of a connection factory that every driver can have. Not for applications.
 *
 * @param servers the servers, with user, password and database
 * @param readTimeout the time-out for an answer
 * @param connectTimeout the time-out for connecting, or {@code null} for that of the
 * driver
 * @param clientName the name of the connections, or {@code null}
 * @param tls {@code true} if connections are encrypted
 * @param namesCompared {@code true} if the certificate of a server has to name its host
 */
public record ClientSettings(RedisConfiguration servers, Duration readTimeout, @Nullable Duration connectTimeout,
		@Nullable String clientName, boolean tls, boolean namesCompared) {
}
