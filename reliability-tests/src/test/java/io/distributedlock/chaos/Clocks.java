package io.distributedlock.chaos;

import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.faults.ClientClock;
import io.distributedlock.faults.ServerClock;
import io.lettuce.core.api.sync.RedisCommands;

/** The wall clocks of a run: the server's, and one for all workers. */
final class Clocks implements AutoCloseable {

	private final ServerClock server;

	private final ClientClock clients = new ClientClock();

	Clocks(RedisCommands<String, String> server) {
		this.server = new ServerClock(server);
	}

	ServerClock server() {
		return this.server;
	}

	ClientClock clients() {
		return this.clients;
	}

	List<String> jvmOptions() {
		return Stream.concat(this.server.jvmOptions().stream(), this.clients.jvmOptions().stream()).toList();
	}

	@Override
	public void close() {
		this.server.close();
		this.clients.close();
	}

}
