package io.distributedlock.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster of three masters with a replica each, or of one node: real processes on this
 * machine, which end with the JVM. A silent master is replaced after about three seconds.
 * Every failure is an {@link IllegalStateException}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RedisCluster implements AutoCloseable {

	/** Number of hash slots. */
	public static final int SLOTS = 16_384;

	private static final int MASTERS = 3;

	private static final int BUS_OFFSET = 10_000;

	private static final String NODE_TIMEOUT_MILLIS = "1500";

	/** Longer than the five seconds after which a server gives up a manual fail-over. */
	private static final Duration GIVEN_UP = Duration.ofSeconds(6);

	private final ServerGroup group;

	private final List<RedisServer> nodes;

	private final int masters;

	private final int replicas;

	private RedisCluster(ServerGroup group, List<RedisServer> nodes, int masters) {
		this.group = group;
		this.nodes = List.copyOf(nodes);
		this.masters = masters;
		this.replicas = nodes.size() - masters;
	}

	/**
	 * Start a cluster of three masters with a replica each.
	 * @param settings more arguments for each node
	 * @return a cluster in which every slot has a master and every master a replica
	 */
	public static RedisCluster start(String... settings) {
		return start(2 * MASTERS, MASTERS, settings);
	}

	/**
	 * Start one node that has every slot and no replica. To a client that does not expect
	 * a cluster it looks like a proxy in front of one.
	 * @param settings more arguments for the node
	 * @return the cluster of one node
	 */
	public static RedisCluster startOneNode(String... settings) {
		return start(1, 1, settings);
	}

	private static RedisCluster start(int count, int masters, String... settings) {
		ServerGroup group = new ServerGroup();
		try {
			ServerBinary binary = RedisServers.binary();
			List<RedisServer> nodes = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				List<String> all = nodeSettings(group, binary, settings);
				nodes.add(group.start(binary, ServerArguments.dataServer(binary, all)));
			}
			RedisCluster cluster = new RedisCluster(group, nodes, masters);
			cluster.form();
			cluster.awaitHealthy();
			return cluster;
		}
		catch (RuntimeException ex) {
			group.close();
			throw ex;
		}
	}

	/**
	 * Give the cluster bus a reserved port. Its default port lies 10,000 above that of
	 * the server, among ports of other programs. Before version 7 there is no other
	 * choice.
	 */
	private static List<String> nodeSettings(ServerGroup group, ServerBinary binary, String... settings) {
		List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
				"--cluster-node-timeout", NODE_TIMEOUT_MILLIS, "--cluster-replica-validity-factor", "0",
				"--repl-diskless-sync-delay", "0"));
		if (binary.majorVersion() >= 7) {
			all.addAll(List.of("--cluster-port", Integer.toString(group.port())));
		}
		all.addAll(List.of(settings));
		return all;
	}

	private void form() {
		for (int i = 0; i < this.nodes.size(); i++) {
			this.nodes.get(i).ask("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
		}
		for (int i = 0; i < this.masters; i++) {
			IntStream slots = IntStream.range(SLOTS * i / this.masters, SLOTS * (i + 1) / this.masters);
			this.nodes.get(i)
				.ask(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots.mapToObj(Integer::toString))
					.toArray(String[]::new));
		}
		RedisServer first = this.nodes.get(0);
		this.nodes.stream().skip(1).forEach((node) -> first.ask("CLUSTER", "MEET", node.host(), port(node), bus(node)));
		ServerGroup.await("all nodes know each other", this::haveMet);
		for (int i = this.masters; i < this.nodes.size(); i++) {
			this.nodes.get(i).ask("CLUSTER", "REPLICATE", id(this.nodes.get(i - this.masters)));
		}
	}

	/** Return whether all nodes know each other by id, as they do after the handshake. */
	private boolean haveMet() {
		List<String> ids = this.nodes.stream().map(RedisCluster::id).toList();
		return this.nodes.stream()
			.map((node) -> ServerGroup.info(node, "CLUSTER", "NODES"))
			.allMatch((known) -> ids.stream().allMatch(known::contains) && !known.contains("handshake"));
	}

	private static String port(RedisServer node) {
		return Integer.toString(node.port());
	}

	private static String bus(RedisServer node) {
		List<?> configured = (List<?>) node.ask("CONFIG", "GET", "cluster-port");
		return configured.isEmpty() ? Integer.toString(node.port() + BUS_OFFSET) : configured.get(1).toString();
	}

	private static String id(RedisServer node) {
		return node.ask("CLUSTER", "MYID").toString();
	}

	/**
	 * The nodes, including those that do not run.
	 * @return the initial masters, then their replicas in the same order
	 */
	public List<RedisServer> nodes() {
		return this.nodes;
	}

	/**
	 * The slot of a key.
	 * @param key the whole key, with its prefix
	 * @return the number of the slot
	 */
	public int slotOf(String key) {
		RedisServer any = running();
		return ((Long) any.ask("CLUSTER", "KEYSLOT", key)).intValue();
	}

	private RedisServer running() {
		return ServerGroup.find("a node answers",
				() -> this.nodes.stream().filter((node) -> !ServerGroup.info(node, "PING").isEmpty()).findFirst());
	}

	/**
	 * The master of a slot.
	 * @param slot the number of the slot
	 * @return the node that calls itself the master, else the one that a running node
	 * names
	 */
	public RedisServer masterOf(int slot) {
		return ServerGroup.find("a node has slot " + slot,
				() -> this.nodes.stream()
					.filter((node) -> isOwnSlot(node, slot))
					.findFirst()
					.or(() -> ofLine(ownerLine(ServerGroup.info(running(), "CLUSTER", "NODES"), slot))));
	}

	private static boolean isOwnSlot(RedisServer node, int slot) {
		String line = ownerLine(ServerGroup.info(node, "CLUSTER", "NODES"), slot);
		return line.contains("myself,master");
	}

	/** Return the line of the master that has the slot, or an empty text. */
	private static String ownerLine(String nodes, int slot) {
		return nodes.lines().filter((line) -> hasSlot(line, slot)).findFirst().orElse("");
	}

	private static boolean hasSlot(String line, int slot) {
		String[] fields = line.split(" ");
		for (int i = 8; i < fields.length; i++) {
			if (!fields[i].startsWith("[")) {
				String[] range = fields[i].split("-");
				if (Integer.parseInt(range[0]) <= slot && slot <= Integer.parseInt(range[range.length - 1])) {
					return true;
				}
			}
		}
		return false;
	}

	private Optional<RedisServer> ofLine(String line) {
		return this.nodes.stream().filter((node) -> line.contains(node.host() + ':' + node.port() + '@')).findFirst();
	}

	/**
	 * The nodes that have slots.
	 * @return the masters in no particular order, as a running node knows them
	 */
	public List<RedisServer> masters() {
		return ServerGroup
			.find("there are " + this.masters + " masters",
					() -> Optional.of(ServerGroup.info(running(), "CLUSTER", "NODES")
						.lines()
						.filter((line) -> line.contains("master") && line.split(" ").length > 8)
						.flatMap((line) -> ofLine(line).stream())
						.toList()).filter((masters) -> masters.size() == this.masters));
	}

	/**
	 * The replicas of a master.
	 * @param master a node that runs
	 * @return its replicas, as the master knows them
	 */
	public List<RedisServer> replicasOf(RedisServer master) {
		String id = id(master);
		return master.ask("CLUSTER", "NODES")
			.toString()
			.lines()
			.filter((line) -> line.contains("slave " + id))
			.flatMap((line) -> ofLine(line).stream())
			.toList();
	}

	/**
	 * Set how long a node may be silent before it is replaced. A longer time avoids a
	 * fail-over because of a busy machine.
	 * @param silence the time, initially 1.5 s
	 */
	public void allowSilence(Duration silence) {
		String millis = Long.toString(silence.toMillis());
		this.nodes.forEach((node) -> node.ask("CONFIG", "SET", "cluster-node-timeout", millis));
	}

	/**
	 * Promote the replica of a healthy master, and wait until it is the master.
	 * @param master the master to replace
	 * @return the new master
	 */
	public RedisServer failOver(RedisServer master) {
		RedisServer replica = replicasOf(master).get(0);
		replica.ask("CLUSTER", "FAILOVER");
		long[] asked = { System.nanoTime() };
		ServerGroup.await("fail-over to " + replica, () -> {
			if (System.nanoTime() - asked[0] > GIVEN_UP.toNanos()) {
				// The replica may have given up by now, if a server stood still: ask
				// again.
				ServerGroup.info(replica, "CLUSTER", "FAILOVER");
				asked[0] = System.nanoTime();
			}
			return isMaster(replica);
		});
		return replica;
	}

	private static boolean isMaster(RedisServer node) {
		return ServerGroup.info(node, "CLUSTER", "NODES").contains("myself,master");
	}

	/**
	 * Wait until a slot has another master and all other running nodes report a healthy
	 * cluster.
	 * @param slot the slot
	 * @param old the master that was killed or stopped
	 * @return the new master
	 */
	public RedisServer awaitMasterOtherThan(int slot, RedisServer old) {
		return ServerGroup.find("fail-over of slot " + slot + " from " + old,
				() -> this.nodes.stream()
					.filter((node) -> node != old && isOwnSlot(node, slot))
					.findFirst()
					.filter((next) -> this.nodes.stream()
						.filter((node) -> node != old && node.isRunning())
						.allMatch(RedisCluster::isOk)));
	}

	/**
	 * Begin to move a slot. Its keys stay at the source, and new keys go to the target.
	 * @param slot the slot
	 * @param target its next master
	 */
	public void beginMove(int slot, RedisServer target) {
		RedisServer source = masterOf(slot);
		target.ask("CLUSTER", "SETSLOT", Integer.toString(slot), "IMPORTING", id(source));
		source.ask("CLUSTER", "SETSLOT", Integer.toString(slot), "MIGRATING", id(target));
	}

	/**
	 * Move keys of a slot that is being moved.
	 * @param slot the slot
	 * @param target its next master
	 * @param keys the keys to move
	 */
	public void moveKeys(int slot, RedisServer target, List<String> keys) {
		RedisServer source = masterOf(slot);
		keys.forEach((key) -> source.ask("MIGRATE", target.host(), port(target), key, "0", "5000"));
	}

	/**
	 * The keys of a slot that are still at its master.
	 * @param slot the slot
	 * @return at most a thousand keys
	 */
	public List<String> keysOf(int slot) {
		List<?> keys = (List<?>) masterOf(slot).ask("CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), "1000");
		return keys.stream().map(Object::toString).toList();
	}

	/**
	 * Move the remaining keys of a slot, and assign the slot to its next master.
	 * @param slot the slot
	 * @param target its next master
	 */
	public void endMove(int slot, RedisServer target) {
		RedisServer source = masterOf(slot);
		for (List<String> left = keysOf(slot); !left.isEmpty(); left = keysOf(slot)) {
			moveKeys(slot, target, left);
		}
		String[] command = { "CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", id(target) };
		target.ask(command);
		source.ask(command);
		ServerGroup.await("all know who has slot " + slot,
				() -> this.nodes.stream()
					.filter(RedisServer::isRunning)
					.allMatch((node) -> ownerLine(ServerGroup.info(node, "CLUSTER", "NODES"), slot)
						.contains(':' + port(target) + '@')));
	}

	/**
	 * Wait until every node runs and reports a healthy cluster, and every replica follows
	 * its master. Then the next node may fail.
	 */
	public void awaitHealthy() {
		ServerGroup.await("healthy cluster",
				() -> this.nodes.stream().allMatch(RedisCluster::isOk) && this.nodes.stream().allMatch(this::knowsAll)
						&& this.nodes.stream().filter(RedisCluster::isMaster).count() == this.masters
						&& this.nodes.stream().filter(RedisCluster::isLinked).count() == this.replicas);
	}

	private boolean knowsAll(RedisServer node) {
		List<String> lines = ServerGroup.info(node, "CLUSTER", "NODES").lines().toList();
		return lines.size() == this.nodes.size() && lines.stream().noneMatch((line) -> line.contains("fail"))
				&& lines.stream().filter((line) -> line.contains("slave")).count() == this.replicas;
	}

	private static boolean isOk(RedisServer node) {
		return ServerGroup.info(node, "CLUSTER", "INFO").contains("cluster_state:ok");
	}

	private static boolean isLinked(RedisServer node) {
		return ServerGroup.info(node, "INFO", "replication").contains("master_link_status:up");
	}

	@Override
	public void close() {
		this.group.close();
	}

}
