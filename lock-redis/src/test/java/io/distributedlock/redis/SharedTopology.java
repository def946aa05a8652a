package io.distributedlock.redis;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisSentinels;
import io.distributedlock.embedded.RedisServer;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Servers that belong together, once for all tests that do not torture them, and one
 * connection factory for each driver. They end with the JVM.
 */
public enum SharedTopology {

	CLUSTER(Cluster::nodes, Cluster::masters, Cluster::connect),

	SENTINEL(Sentinel::nodes, Sentinel::masters, Sentinel::connect);

	/** No node is silent on purpose, so this is long enough for a busy machine. */
	private static final Duration SILENCE = Duration.ofMinutes(1);

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final Supplier<List<RedisServer>> nodes;

	private final Supplier<List<RedisServer>> masters;

	private final Function<DriverUnderTest, RedisConnectionFactory> connector;

	private final Map<DriverUnderTest, RedisConnectionFactory> factories = new EnumMap<>(DriverUnderTest.class);

	SharedTopology(Supplier<List<RedisServer>> nodes, Supplier<List<RedisServer>> masters,
			Function<DriverUnderTest, RedisConnectionFactory> connector) {
		this.nodes = nodes;
		this.masters = masters;
		this.connector = connector;
	}

	public synchronized RedisConnectionFactory factory(DriverUnderTest driver) {
		return this.factories.computeIfAbsent(driver, this.connector);
	}

	/** The nodes that keep locks. */
	public List<RedisServer> masters() {
		return this.masters.get();
	}

	/** All nodes, in whatever role. */
	List<RedisServer> nodes() {
		return this.nodes.get();
	}

	/** Delete a key, on the master that has it. */
	boolean delete(String redisKey) {
		return masters().stream()
			.filter((master) -> master.ask("KEYS", "*").toString().contains(redisKey))
			.anyMatch((master) -> master.ask("DEL", redisKey).equals(1L));
	}

	private static final class Cluster {

		private static final RedisCluster CLUSTER = RedisCluster.start(LeastPrivilege.clusterSettings());

		static {
			CLUSTER.allowSilence(SILENCE);
		}

		private static List<RedisServer> nodes() {
			return CLUSTER.nodes();
		}

		private static List<RedisServer> masters() {
			return CLUSTER.masters();
		}

		/** No node is lost, and reading the view of each takes most of a short test. */
		private static RedisConnectionFactory connect(DriverUnderTest driver) {
			return TopologyDrivers.cluster(driver, CLUSTER.nodes().subList(0, 1), TIMEOUT);
		}

	}

	private static final class Sentinel {

		private static final RedisSentinels SENTINELS = RedisSentinels.start(1, LeastPrivilege.serverSettings());

		static {
			SENTINELS.allowSilence(SILENCE);
		}

		private static List<RedisServer> nodes() {
			return SENTINELS.nodes();
		}

		private static List<RedisServer> masters() {
			return List.of(SENTINELS.master());
		}

		private static RedisConnectionFactory connect(DriverUnderTest driver) {
			return TopologyDrivers.sentinel(driver, SENTINELS, TIMEOUT);
		}

	}

}
