package io.distributedlock.redis.internal.driver;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

/**
 * The servers of Redis and the user that logs in there, for messages: never with a
 * password.
 *
 * @param configuration the configuration of the connection factory, or {@code null} if it
 * is not known
 * @param tls {@code true} if connections are encrypted
 */
public record RedisTarget(@Nullable RedisConfiguration configuration, boolean tls) {

	/** Target of a connection factory that does not say where it leads. */
	public static final RedisTarget UNKNOWN = new RedisTarget(null, false);

	/** The user that logs in. */
	public String user() {
		String user = (this.configuration instanceof RedisConfiguration.WithAuthentication login) ? login.getUsername()
				: null;
		return (user != null) ? user : "default";
	}

	/** Host and port of a single server, else an empty text. */
	public String address() {
		return (this.configuration instanceof RedisStandaloneConfiguration alone)
				? alone.getHostName() + ':' + alone.getPort() : "";
	}

	/** The servers, an empty text if they are not known. */
	public String place() {
		if (this.configuration instanceof RedisConfiguration.SentinelConfiguration group) {
			NamedNode master = group.getMaster();
			return "master '%s' of the Sentinels %s".formatted((master != null) ? master.getName() : "",
					list(group.getSentinels()));
		}
		if (this.configuration instanceof RedisStaticMasterReplicaConfiguration nodes) {
			return "primary and replicas of " + nodes.getNodes()
				.stream()
				.map((node) -> node.getHostName() + ':' + node.getPort())
				.collect(Collectors.joining(", "));
		}
		if (this.configuration instanceof RedisConfiguration.DomainSocketConfiguration local) {
			return local.getSocket();
		}
		return (this.configuration instanceof RedisConfiguration.ClusterConfiguration cluster)
				? "cluster of " + list(cluster.getClusterNodes()) : address();
	}

	/** The number of Sentinels, zero without Sentinel. */
	public int sentinels() {
		return (this.configuration instanceof RedisConfiguration.SentinelConfiguration group)
				? group.getSentinels().size() : 0;
	}

	/**
	 * The servers to connect to first: a single one, Sentinels, or nodes of a cluster.
	 */
	public List<RedisNode> entries() {
		if (this.configuration instanceof RedisStandaloneConfiguration alone) {
			return List.of(new RedisNode(alone.getHostName(), alone.getPort()));
		}
		if (this.configuration instanceof RedisConfiguration.SentinelConfiguration group) {
			return List.copyOf(group.getSentinels());
		}
		return (this.configuration instanceof RedisConfiguration.ClusterConfiguration cluster)
				? List.copyOf(cluster.getClusterNodes()) : List.of();
	}

	private static String list(Set<RedisNode> nodes) {
		return nodes.stream().map(RedisNode::asString).sorted().collect(Collectors.joining(", "));
	}

}
