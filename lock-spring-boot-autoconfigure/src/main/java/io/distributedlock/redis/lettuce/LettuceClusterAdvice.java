package io.distributedlock.redis.lettuce;

import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Warns of a Lettuce client that looks at its cluster only once. After a fail-over it
 * sends commands to the dead node for ever, and its locks cannot be acquired.
 */
final class LettuceClusterAdvice {

	private static final Log logger = LogFactory.getLog(LettuceClusterAdvice.class);

	private LettuceClusterAdvice() {
	}

	static void giveFor(LettuceConnectionFactory factory) {
		if (factory.getNativeClient() instanceof RedisClusterClient client && !looksAgain(client)) {
			logger.warn("Lettuce does not look at the Redis cluster again by itself, so that after a fail-over the "
					+ "locks of the node that failed can neither be renewed nor acquired. Set "
					+ "spring.data.redis.lettuce.cluster.refresh.period to a fraction of the shortest ttl (such as 2s) "
					+ "and spring.data.redis.lettuce.cluster.refresh.adaptive to true");
		}
	}

	private static boolean looksAgain(RedisClusterClient client) {
		return client.getOptions() instanceof ClusterClientOptions options
				&& options.getTopologyRefreshOptions() != null
				&& options.getTopologyRefreshOptions().isPeriodicRefreshEnabled();
	}

}
