package io.distributedlock.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A master with replicas, and three Sentinels that watch it: real processes on this
 * machine, which end with the JVM. A silent master is replaced after about three seconds.
 * Every failure is an {@link IllegalStateException}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RedisSentinels implements AutoCloseable {

	/** The name under which the Sentinels know the master. */
	public static final String MASTER_NAME = "locks";

	private static final int SENTINELS = 3;

	/** Longer than the second after which a Sentinel connects to a new master. */
	private static final int DOWN_AFTER_MILLIS = 1300;

	private final ServerGroup group;

	private final List<RedisServer> nodes;

	private final List<RedisServer> sentinels;

	private RedisSentinels(ServerGroup group, List<RedisServer> nodes, List<RedisServer> sentinels) {
		this.group = group;
		this.nodes = List.copyOf(nodes);
		this.sentinels = List.copyOf(sentinels);
	}

	/**
	 * Start the servers.
	 * @param replicas the number of replicas of the master
	 * @param settings more arguments for each node
	 * @return the servers, once the Sentinels agree on them
	 */
	public static RedisSentinels start(int replicas, String... settings) {
		ServerGroup group = new ServerGroup();
		try {
			RedisSentinels started = start(group, RedisServers.binary(), replicas, List.of(settings));
			started.awaitAgreement();
			return started;
		}
		catch (RuntimeException ex) {
			group.close();
			throw ex;
		}
	}

	private static RedisSentinels start(ServerGroup group, ServerBinary binary, int replicas, List<String> settings) {
		List<String> ownSettings = new ArrayList<>(List.of("--repl-diskless-sync-delay", "0"));
		ownSettings.addAll(settings);
		RedisServer master = group.start(binary, ServerArguments.dataServer(binary, ownSettings));
		List<RedisServer> nodes = new ArrayList<>(List.of(master));
		for (int i = 0; i < replicas; i++) {
			RedisServer replica = group.start(binary, ServerArguments.dataServer(binary, ownSettings));
			replica.ask("REPLICAOF", master.host(), Integer.toString(master.port()));
			nodes.add(replica);
		}
		List<RedisServer> sentinels = new ArrayList<>();
		for (int i = 0; i < SENTINELS; i++) {
			sentinels.add(group.start(binary, ServerArguments.sentinel(configuration(master))));
		}
		return new RedisSentinels(group, nodes, sentinels);
	}

	private static List<String> configuration(RedisServer master) {
		String name = MASTER_NAME;
		return List.of("sentinel monitor %s %s %d 2".formatted(name, master.host(), master.port()),
				"sentinel down-after-milliseconds %s %d".formatted(name, DOWN_AFTER_MILLIS),
				"sentinel failover-timeout %s 2000".formatted(name), "sentinel parallel-syncs %s 1".formatted(name));
	}

	/**
	 * The Sentinels.
	 * @return the servers that clients ask for the master
	 */
	public List<RedisServer> sentinels() {
		return this.sentinels;
	}

	/**
	 * The master and its replicas, including those that do not run.
	 * @return the nodes, the initial master first
	 */
	public List<RedisServer> nodes() {
		return this.nodes;
	}

	/**
	 * The node that most Sentinels call the master. Waits until they do.
	 * @return the master
	 */
	public RedisServer master() {
		return ServerGroup.find("the Sentinels agree on a master", () -> this.nodes.stream()
			.filter((node) -> this.sentinels.stream().filter((sentinel) -> calls(sentinel, node)).count() > SENTINELS
					/ 2)
			.findFirst());
	}

	/**
	 * Set how long the master may be silent before it is replaced. A longer time avoids a
	 * fail-over because of a busy machine.
	 * @param silence the time, initially 1.3 s
	 */
	public void allowSilence(Duration silence) {
		String millis = Long.toString(silence.toMillis());
		this.sentinels
			.forEach((sentinel) -> sentinel.ask("SENTINEL", "SET", MASTER_NAME, "down-after-milliseconds", millis));
	}

	private static boolean calls(RedisServer sentinel, RedisServer node) {
		return ServerGroup.info(sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME)
			.equals(List.of(node.host(), Integer.toString(node.port())).toString());
	}

	/**
	 * The nodes that are not the master.
	 * @return replicas, running or not
	 */
	public List<RedisServer> replicas() {
		RedisServer master = master();
		return this.nodes.stream().filter((node) -> node != master).toList();
	}

	/**
	 * Let the Sentinels replace a healthy master, and wait until they have.
	 * @return the new master
	 */
	public RedisServer failOver() {
		RedisServer old = master();
		RedisServer first = this.sentinels.get(0);
		ServerGroup.await("fail-over from " + old, () -> {
			// The Sentinels may give a fail-over up; then ask for it again.
			boolean asked = calls(first, old)
					&& !ServerGroup.info(first, "SENTINEL", "FAILOVER", MASTER_NAME).isEmpty();
			return !asked && isReplaced(old);
		});
		return master();
	}

	/**
	 * Start a killed node again, as a replica of the present master.
	 * @param node the node
	 */
	public void rejoin(RedisServer node) {
		node.start();
		settle();
	}

	/**
	 * Turn former masters that run again into replicas of the present master, and wait
	 * until all agree. The Sentinels alone take ten seconds for that.
	 */
	public void settle() {
		RedisServer master = master();
		this.nodes.stream()
			.filter((node) -> node != master && isMaster(node))
			.forEach((former) -> former.ask("REPLICAOF", master.host(), Integer.toString(master.port())));
		awaitAgreement();
	}

	/**
	 * Wait until another node is the master and all Sentinels know it.
	 * @param old the master that was killed or stopped
	 * @return the new master
	 */
	public RedisServer awaitMasterOtherThan(RedisServer old) {
		ServerGroup.await("fail-over from " + old, () -> isReplaced(old));
		return master();
	}

	private boolean isReplaced(RedisServer old) {
		return this.nodes.stream()
			.anyMatch((node) -> node != old && isMaster(node)
					&& this.sentinels.stream().allMatch((sentinel) -> calls(sentinel, node)));
	}

	private static boolean isMaster(RedisServer node) {
		return ServerGroup.info(node, "INFO", "replication").contains("role:master");
	}

	/**
	 * Wait until all nodes run and the Sentinels agree on master and replicas. Then the
	 * next fail-over can begin.
	 */
	public void awaitAgreement() {
		ServerGroup.await("Sentinels and replicas agree",
				() -> this.sentinels.stream().allMatch(this::knowsAll)
						&& this.nodes.stream().filter(RedisSentinels::isMaster).count() == 1
						&& this.nodes.stream().filter(RedisSentinels::isLinked).count() == this.nodes.size() - 1L);
	}

	private boolean knowsAll(RedisServer sentinel) {
		String info = ServerGroup.info(sentinel, "INFO", "sentinel");
		return info.contains("name=%s,status=ok".formatted(MASTER_NAME))
				&& info.contains("slaves=%d,sentinels=%d".formatted(this.nodes.size() - 1, SENTINELS))
				&& calls(sentinel, this.nodes.stream().filter(RedisSentinels::isMaster).findFirst().orElse(sentinel))
				&& !ServerGroup.info(sentinel, "SENTINEL", "REPLICAS", MASTER_NAME).contains("s_down");
	}

	private static boolean isLinked(RedisServer node) {
		return ServerGroup.info(node, "INFO", "replication").contains("master_link_status:up");
	}

	@Override
	public void close() {
		this.group.close();
	}

}
