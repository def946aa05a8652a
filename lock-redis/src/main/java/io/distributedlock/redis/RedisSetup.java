package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.redis.RedisPermission.Need;
import org.jspecify.annotations.Nullable;

/**
 * Configuration that messages name, so that their readers know where to repair something.
 *
 * @param login the properties of user and password
 * @param rules all rules of an ACL that the user needs
 * @param node the node of a quorum, or {@code null} for the application's own Redis
 * @param server host and port as far as they are known, maybe empty
 */
record RedisSetup(String login, String rules, @Nullable NodeIdentity node, String server) {

	/** Return this setup with a known server. */
	RedisSetup at(String server) {
		return new RedisSetup(this.login, this.rules, this.node, server);
	}

	/** Return the rules and the missing ones, of which some depend on the connection. */
	String rulesWith(List<String> missing) {
		List<String> all = new ArrayList<>(List.of(this.rules.split(" ")));
		missing.stream().filter((rule) -> !all.contains(rule)).forEach(all::add);
		return String.join(" ", all);
	}

	/** Return the setup for the application's own Redis. */
	static RedisSetup ofApplication(RedisStoreSettings settings, boolean isCluster) {
		List<Need> needs = new ArrayList<>();
		if (settings.replicaAcks().isWanted()) {
			needs.add(Need.REPLICA_ACKS);
		}
		if (isCluster) {
			needs.add(Need.CLUSTER);
		}
		return new RedisSetup("spring.data.redis.username and password",
				RedisPermission.rules(settings.keyPrefix(), needs.toArray(Need[]::new)), null, "");
	}

	/** Return the setup for a node of a quorum. */
	static RedisSetup ofNode(RedisStoreSettings settings, NodeIdentity node) {
		return new RedisSetup("user and password in " + node, RedisPermission.rules(settings.keyPrefix(), Need.REDLOCK),
				node, "");
	}

}
