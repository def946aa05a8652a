package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.redis.RedisPermission.Need;
import org.jspecify.annotations.Nullable;

/**
 * What messages name, so that their readers know where to repair something.
 *
 * @param login where user and password are configured
 * @param rules all that the user has to be allowed
 * @param node the node of a quorum, or {@code null} for the application's own Redis
 * @param server host and port as far as they are known, maybe empty
 */
record RedisSetup(String login, String rules, @Nullable NodeIdentity node, String server) {

	/** The same where the server is known. */
	RedisSetup at(String server) {
		return new RedisSetup(this.login, this.rules, this.node, server);
	}

	/** The rules, and those missing that depend on how one connects. */
	String rulesWith(List<String> missing) {
		List<String> all = new ArrayList<>(List.of(this.rules.split(" ")));
		missing.stream().filter((rule) -> !all.contains(rule)).forEach(all::add);
		return String.join(" ", all);
	}

	/** The application's own Redis. */
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

	/** A node of a quorum. */
	static RedisSetup ofNode(RedisStoreSettings settings, NodeIdentity node) {
		return new RedisSetup("user and password in " + node, RedisPermission.rules(settings.keyPrefix(), Need.REDLOCK),
				node, "");
	}

}
