package io.distributedlock.chaos;

import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.faults.ServerClock;
import org.jspecify.annotations.Nullable;

/** One server, whose clock may be set. */
final class StandaloneTopology implements Topology {

	private final RedisServer server = RedisServers.start("--appendonly", "yes", "--appendfsync", "everysec");

	private final ServerAdmin admin = new ServerAdmin(this.server);

	private final @Nullable ServerClock clock;

	StandaloneTopology(boolean clock) {
		this.clock = clock ? new ServerClock(this.admin.commands()) : null;
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
		return (this.clock != null) ? Stream.concat(ClockFaults.ALL.stream(), faults.stream()).toList() : faults;
	}

	@Override
	public @Nullable ServerClock clock() {
		return this.clock;
	}

	@Override
	public void close() {
		this.admin.close();
		if (this.clock != null) {
			this.clock.close();
		}
		this.server.close();
	}

}
