package io.distributedlock.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.faults.FaultProxy;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL that keeps all locks. By default a crash may forget the last changes of
 * them, those of three times the delay of its writer, so it counts as a fail-over does.
 * If the store of the workers is durable, a crash forgets nothing, and excuses nothing
 * but that there is no answer.
 */
final class PostgresTopology implements Topology {

	/** Less than the time before a fail-over that counts as undone, divided by three. */
	private static final String WRITER_DELAY = "wal_writer_delay=150ms";

	private final PostgresServer server = PostgresServer.start("max_connections=200", WRITER_DELAY);

	private final PostgresAdmin admin = new PostgresAdmin(this.server);

	private final boolean durable;

	private @Nullable PostgresWatch watch;

	PostgresTopology(boolean durable) {
		this.durable = durable;
	}

	@Override
	public String description() {
		String version = this.admin.jdbc().queryForObject("SHOW server_version", String.class);
		return "PostgreSQL %s%s".formatted(version, this.durable ? ", durable" : "");
	}

	@Override
	public List<RedisServer> servers() {
		return List.of();
	}

	@Override
	public Map<Integer, FaultProxy> proxies() {
		return Map.of(this.server.port(), FaultProxy.ofBytes("127.0.0.1", this.server.port()));
	}

	@Override
	public List<Integer> entries() {
		return List.of(this.server.port());
	}

	@Override
	public List<ServerAdmin> admins() {
		return List.of();
	}

	@Override
	public List<PostgresAdmin> stores() {
		return List.of(this.admin);
	}

	@Override
	public List<Nemesis> faults() {
		return new PostgresFaults(this.server, this.admin, this.durable).all();
	}

	@Override
	public ServerWatch.Judge judge(List<String> keys, IntSupplier asked) {
		try {
			this.watch = new PostgresWatch(this.admin.connections());
			return this.watch;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		if (this.watch != null) {
			this.watch.close();
		}
		this.admin.close();
		this.server.close();
	}

}
