package io.distributedlock.chaos;

import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import org.jspecify.annotations.Nullable;

/** One server, whose clock may be set. */
final class StandaloneTopology implements Topology {

	private final RedisServer server = RedisServers.start("--appendonly", "yes", "--appendfsync", "everysec");

	private final ServerAdmin admin = new ServerAdmin(this.server);

	private final @Nullable Clocks clocks;

	StandaloneTopology(boolean clocks) {
		this.clocks = clocks ? new Clocks(this.admin.commands()) : null;
	}

	@Override
	public String description() {
		return this.server.description();
	}

	@Override
	public List<RedisServer> servers() {
		return List.of(this.server);
	}

	@Override
	public List<ServerAdmin> admins() {
		return List.of(this.admin);
	}

	@Override
	public List<Nemesis> faults() {
		List<Nemesis> faults = Stream.concat(new StandaloneFaults(this.server, this.admin).all(), CommonFaults.all())
			.toList();
		return (this.clocks != null) ? Stream.concat(ClockFaults.ALL.stream(), faults.stream()).toList() : faults;
	}

	@Override
	public @Nullable Clocks clocks() {
		return this.clocks;
	}

	@Override
	public void close() {
		this.admin.close();
		if (this.clocks != null) {
			this.clocks.close();
		}
		this.server.close();
	}

}
