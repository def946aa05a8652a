package io.distributedlock.chaos;

import java.util.HashMap;
import java.util.Map;

import io.distributedlock.embedded.RedisServer;

/** The run's own connections, one for each server that it had to do with. */
final class Admins implements AutoCloseable {

	private final Map<RedisServer, ServerAdmin> admins = new HashMap<>();

	ServerAdmin of(RedisServer server) {
		return this.admins.computeIfAbsent(server, ServerAdmin::new);
	}

	@Override
	public void close() {
		this.admins.values().forEach(ServerAdmin::close);
	}

}
