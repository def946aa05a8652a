package io.distributedlock.redis.internal.lettuce;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.distributedlock.redis.internal.driver.NodeServer;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Nodes of a quorum that share the threads of Lettuce, which end with the last of them.
 */
public final class LettuceNodes {

	private final ClientResources resources;

	private final Duration timeout;

	private final AtomicInteger open;

	/**
	 * Create the driver of a quorum.
	 * @param nodes how many there will be
	 * @param timeout for connecting and for commands that are waited for; the first
	 * connection has the connect time-out of Lettuce where that is longer
	 */
	public LettuceNodes(int nodes, Duration timeout) {
		this.open = new AtomicInteger(nodes);
		this.timeout = timeout;
		this.resources = ClientResources.builder()
			.nettyCustomizer(new SetUpLimit(DefaultClientResources.DEFAULT_NETTY_CUSTOMIZER, timeout))
			.build();
	}

	/**
	 * Connect to a node.
	 * @param server where it is and how to log in
	 * @param look what to do with a new connection first
	 */
	public LettuceNodeConnections connect(NodeServer server, Consumer<RedisConnection> look) {
		return new LettuceNodeConnections(server, this.timeout, look, this.resources, this::closed);
	}

	private void closed() {
		if (this.open.decrementAndGet() == 0) {
			this.resources.shutdown(0, 1, TimeUnit.SECONDS);
		}
	}

}
