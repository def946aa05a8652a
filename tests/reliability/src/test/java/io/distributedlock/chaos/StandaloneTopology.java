package io.distributedlock.chaos;

import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisServers;
import io.distributedlock.faults.ServerClock;
import org.jspecify.annotations.Nullable;

/** A single server, whose clock may be set. */
final class StandaloneTopology extends OneServerTopology {

	private final @Nullable ServerClock clock;

	StandaloneTopology(boolean clock) {
		super(RedisServers.start(Topology.onDisk()));
		this.clock = clock ? new ServerClock(this.admin.commands()) : null;
	}

	@Override
	public String description() {
		return this.server.description();
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
		if (this.clock != null) {
			this.clock.close();
		}
		super.close();
	}

}
