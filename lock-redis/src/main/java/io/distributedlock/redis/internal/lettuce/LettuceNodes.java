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
 * Nodes of a quorum. They share the threads of Lettuce, which end with the last node.
 */
public final class LettuceNodes {

	private final ClientResources resources;

	private final Duration timeout;

	private final AtomicInteger open;

	/**
	 * Create the driver of a quorum.
	 * @param nodes the number of nodes
	 * @param timeout the time-out for connecting and for blocking commands; the first
	 * connection has the connect time-out of Lettuce if that is longer
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
	 * @param server the address and the login
	 * @param look inspects a new connection first
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
