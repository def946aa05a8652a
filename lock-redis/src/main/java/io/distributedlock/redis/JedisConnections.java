package io.distributedlock.redis;

import java.util.function.Supplier;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Connections of Jedis for the locks of an application that uses Lettuce. On a single
 * server callers then run their commands themselves, which saves two changes of thread.
 *
 * @since 0.1.0
 */
public final class JedisConnections {

	private JedisConnections() {
	}

	/**
	 * Create a connection factory of Jedis with the configuration of one of Lettuce: the
	 * same servers, user, password, database, client name, time-outs and, if it is used,
	 * TLS. Opens nothing, and is for a {@link RedisLockStore} with connections of its
	 * own, which reads its configuration.
	 * @param application the factory of the application, which is only read
	 * @param sockets returns the maker of connections, asked if they are encrypted:
	 * Lettuce does not say which certificates it trusts
	 * @param parameters the protocols and ciphers of TLS; changed where host names are to
	 * be compared
	 * @return the factory; the given one if that is of Jedis
	 * @throws IllegalArgumentException if Jedis is not on the class path, or cannot have
	 * that configuration: a static primary with replicas, a Unix socket, a credentials
	 * provider, StartTLS, trust in every certificate, or a subclass of the factory; or if
	 * the factory is of another kind
	 */
	public static RedisConnectionFactory like(RedisConnectionFactory application, Supplier<SSLSocketFactory> sockets,
			SSLParameters parameters) {
		return RedisDrivers.jedis(application, sockets, parameters);
	}

}
