package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Makes connections to nodes with the driver that is there. The classes that need an
 * optional one are only loaded where it is present.
 */
interface NodeDriver {

	/**
	 * Connect to a node.
	 * @param address where it is
	 * @param timeout for connecting and for commands that are waited for
	 * @param look what to do with a new connection first
	 */
	NodeConnections connect(RedisNodeAddress address, Duration timeout, Consumer<RedisConnection> look);

	/**
	 * The driver that is there.
	 * @param nodes for how many nodes, which share threads
	 */
	static NodeDriver present(int nodes) {
		if (RedisDrivers.hasLettuce()) {
			return new Lettuce(nodes);
		}
		if (RedisDrivers.hasJedis()) {
			return JedisNodeConnections::new;
		}
		throw new IllegalStateException("Neither Lettuce nor Jedis is on the class path");
	}

	/** Nodes that share the threads of the driver, which end with the last of them. */
	final class Lettuce implements NodeDriver {

		private final ClientResources resources = DefaultClientResources.create();

		private final AtomicInteger open;

		private Lettuce(int nodes) {
			this.open = new AtomicInteger(nodes);
		}

		@Override
		public NodeConnections connect(RedisNodeAddress address, Duration timeout, Consumer<RedisConnection> look) {
			return new LettuceNodeConnections(address, timeout, look, this.resources, this::closed);
		}

		private void closed() {
			if (this.open.decrementAndGet() == 0) {
				this.resources.shutdown(0, 1, TimeUnit.SECONDS);
			}
		}

	}

}
