package io.distributedlock.chaos;

import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;

/** Three masters with a replica each; each lock is where its slot is. */
final class ClusterTopology implements Topology {

	private final RedisCluster cluster = RedisCluster.start();

	private final Admins admins = new Admins();

	@Override
	public String description() {
		return "a cluster of three masters and three replicas, each " + this.cluster.nodes().get(0).description();
	}

	@Override
	public List<RedisServer> servers() {
		return this.cluster.nodes();
	}

	@Override
	public List<ServerAdmin> admins() {
		return this.cluster.masters().stream().map(this.admins::of).toList();
	}

	@Override
	public List<ServerAdmin> adminsOf(String key) {
		int slot = this.cluster.slotOf(ServerAdmin.redisKey(key));
		return List.of(this.admins.of(this.cluster.masterOf(slot)));
	}

	@Override
	public List<Nemesis> faults() {
		return Stream.concat(new ClusterFaults(this.cluster).all(), CommonFaults.all()).toList();
	}

	@Override
	public void awaitHealthy() {
		this.cluster.awaitHealthy();
	}

	@Override
	public void close() {
		this.admins.close();
		this.cluster.close();
	}

}
