package io.distributedlock.chaos;

import java.util.List;

import io.distributedlock.embedded.RedisServer;

/** A topology that clients see as one server. */
abstract class OneServerTopology implements Topology {

	final RedisServer server;

	final ServerAdmin admin;

	OneServerTopology(RedisServer server) {
		this.server = server;
		this.admin = new ServerAdmin(server);
	}

	@Override
	public final List<RedisServer> servers() {
		return List.of(this.server);
	}

	@Override
	public final List<ServerAdmin> admins() {
		return List.of(this.admin);
	}

	@Override
	public void close() {
		this.admin.close();
		this.server.close();
	}

}
