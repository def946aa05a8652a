package io.distributedlock.chaos;

import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisCluster;
import org.awaitility.Awaitility;

/**
 * A proxy in front of shards as clients see one: it looks like one server, has many
 * slots, and refuses scripts with keys of two of them. It is one node of a cluster that
 * has all slots, which clients connect to as to a standalone server.
 */
final class ShardedTopology extends OneServerTopology {

	private final RedisCluster cluster;

	ShardedTopology() {
		this(RedisCluster.startOneNode(Topology.onDisk()));
	}

	private ShardedTopology(RedisCluster cluster) {
		super(cluster.nodes().get(0));
		this.cluster = cluster;
	}

	@Override
	public String description() {
		return "all slots behind one address, " + this.server.description();
	}

	@Override
	public List<Nemesis> faults() {
		return Stream.concat(new StandaloneFaults(this.server, this.admin).ofOneNode(), CommonFaults.all()).toList();
	}

	/** A node that has lost its data has lost its slots, too. */
	@Override
	public void awaitHealthy() {
		if (info("cluster_slots_assigned:0")) {
			this.server.ask("CLUSTER", "ADDSLOTSRANGE", "0", Integer.toString(RedisCluster.SLOTS - 1));
		}
		Awaitility.await().until(() -> info("cluster_state:ok"));
	}

	private boolean info(String line) {
		return this.server.ask("CLUSTER", "INFO").toString().lines().anyMatch(line::equals);
	}

	@Override
	public void close() {
		super.close();
		this.cluster.close();
	}

}
