package io.distributedlock.test.orders;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import org.jspecify.annotations.Nullable;

/** A container of Testcontainers for an example, with a server that needs no Docker. */
final class GenericContainer<S extends GenericContainer<S>> extends org.testcontainers.containers.GenericContainer<S> {

	private @Nullable RedisServer server;

	GenericContainer(String image) {
		super(image);
	}

	@Override
	public void start() {
		RedisServer server = RedisServers.start();
		this.server = server;
		Runtime.getRuntime().addShutdownHook(new Thread(server::close));
	}

	private RedisServer server() {
		RedisServer started = this.server;
		if (started == null) {
			throw new IllegalStateException("It was not started");
		}
		return started;
	}

	@Override
	public String getHost() {
		return server().host();
	}

	@Override
	public Integer getFirstMappedPort() {
		return server().port();
	}

}
