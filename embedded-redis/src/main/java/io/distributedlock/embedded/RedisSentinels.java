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

	/** More than the second after which a Sentinel connects to a new master. */
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
	 * Start them.
	 * @param replicas how many replicas the master has
	 * @param settings more arguments for each node
	 * @return servers that agree on each other
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
	 * @return where clients ask for the master
	 */
	public List<RedisServer> sentinels() {
		return this.sentinels;
	}

	/**
	 * Master and replicas, also those that do not run.
	 * @return the first master first
	 */
	public List<RedisServer> nodes() {
		return this.nodes;
	}

	/**
	 * Whom most Sentinels call the master, as soon as they do.
	 * @return one of the nodes
	 */
	public RedisServer master() {
		return ServerGroup.find("the Sentinels agree on a master", () -> this.nodes.stream()
			.filter((node) -> this.sentinels.stream().filter((sentinel) -> calls(sentinel, node)).count() > SENTINELS
					/ 2)
			.findFirst());
	}

	/**
	 * Let the master be silent for longer or shorter before it is replaced: a machine
	 * that is busy is no fault, where none is meant.
	 * @param silence how long, which is 1.3 s at first
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
	 * Let the Sentinels replace a master that runs well, and wait until they have.
	 * @return the new master
	 */
	public RedisServer failOver() {
		RedisServer old = master();
		RedisServer first = this.sentinels.get(0);
		ServerGroup.await("fail-over from " + old, () -> {
			// One that was begun may be given up, and is then asked for again.
			boolean asked = calls(first, old)
					&& !ServerGroup.info(first, "SENTINEL", "FAILOVER", MASTER_NAME).isEmpty();
			return !asked && isReplaced(old);
		});
		return master();
	}

	/**
	 * Start a node that was killed as a replica of the present master, which Sentinels
	 * take ten seconds to do.
	 * @param node the node
	 */
	public void rejoin(RedisServer node) {
		RedisServer master = master();
		node.start();
		node.ask("REPLICAOF", master.host(), Integer.toString(master.port()));
		awaitAgreement();
	}

	/**
	 * Wait until there is another master, that knows it.
	 * @param old the one that was killed or stopped
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
	 * Wait until all nodes run as the Sentinels say and all know each other, so that the
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
