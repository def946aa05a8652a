package io.distributedlock.redis;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Why a server that answers will not keep locks, whatever its user may do.
 */
enum Unsuitability {

	REPLICA("\\b(READONLY|MASTERDOWN)\\b", "is a replica, which grants no locks",
			"Name a server of its own, that is no replica of another",
			"set spring.data.redis.host to the primary, or use spring.data.redis.sentinel.*"),

	CLUSTER("^(MOVED|ASK|CLUSTERDOWN)\\b|SELECT is not allowed in cluster mode",
			"is a node of a Redis Cluster, not an independent server",
			"Name a server that is in no cluster, or use the cluster by distributed-lock.store=redis and "
					+ "spring.data.redis.cluster.nodes",
			"set spring.data.redis.cluster.nodes instead of spring.data.redis.host"),

	DATABASE("^ERR (DB index is out of range|invalid DB index)", "has no database of this number",
			"Name a database that the server has, or none", "set spring.data.redis.database to one that it has"),

	COMMANDS("^ERR unknown command", "is no Redis data server (a Sentinel?), or the command was renamed",
			"Name a Redis data server that knows the commands", "name a Redis data server that knows the commands");

	private final Pattern said;

	private final String problem;

	private final String ofNode;

	private final String ofApplication;

	Unsuitability(String said, String problem, String ofNode, String ofApplication) {
		this.said = Pattern.compile(said);
		this.problem = problem;
		this.ofNode = ofNode;
		this.ofApplication = ofApplication;
	}

	/** What can be seen from a failure, if anything. */
	static @Nullable Unsuitability of(Throwable failure) {
		for (Unsuitability unsuitability : values()) {
			if (RedisFailures.said(unsuitability.said, failure) != null) {
				return unsuitability;
			}
		}
		return null;
	}

	String problem() {
		return this.problem;
	}

	/** What to do about a node of a quorum. */
	String remedyOfNode() {
		return this.ofNode;
	}

	/** What to do about the application's own Redis. */
	String remedyOfApplication() {
		return this.ofApplication;
	}

}
