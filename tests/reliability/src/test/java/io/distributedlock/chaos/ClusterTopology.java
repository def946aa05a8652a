package io.distributedlock.chaos;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
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
	public ServerWatch.Judge judge(List<String> keys, IntSupplier asked) {
		List<RedisServer> nodes = this.cluster.nodes();
		Map<RedisServer, ServerGroupWatch> groups = new HashMap<>();
		for (int i = 0; i < nodes.size() / 2; i++) {
			List<RedisServer> group = List.of(nodes.get(i), nodes.get(i + nodes.size() / 2));
			Set<String> before = Set.copyOf(keysOf(group, keys));
			// Slots move.
			Supplier<Set<String>> own = () -> Stream.concat(before.stream(), keysOf(group, keys).stream())
				.collect(Collectors.toCollection(TreeSet::new));
			ServerGroupWatch watch = new ServerGroupWatch(group, own, asked, System::nanoTime);
			group.forEach((node) -> groups.put(node, watch));
		}
		return new ClusterWatch(groups);
	}

	private List<String> keysOf(List<RedisServer> group, List<String> keys) {
		return keys.stream()
			.filter((key) -> group.contains(this.cluster.masterOf(this.cluster.slotOf(ServerAdmin.redisKey(key)))))
			.toList();
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
