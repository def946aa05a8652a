package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.redis.RedisQuorumNode;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The nodes of a quorum, which are closed with its store. Stops the start of an
 * application whose user may not do on one of them what locks need.
 */
final class RedlockNodeSet implements SmartInitializingSingleton {

	private final List<RedisQuorumNode> nodes;

	RedlockNodeSet(List<RedisQuorumNode> nodes) {
		this.nodes = nodes;
	}

	List<RedisQuorumNode> nodes() {
		return this.nodes;
	}

	/** Together, so that those that are down cost their time once. */
	@Override
	public void afterSingletonsInstantiated() {
		List<CompletableFuture<Void>> checks = this.nodes.stream().map(RedisQuorumNode::checkPermissions).toList();
		long start = System.nanoTime();
		for (int i = 0; i < checks.size(); i++) {
			Duration left = this.nodes.get(i).commandTimeout().minusNanos(System.nanoTime() - start);
			LockPermissionCheck.await(checks.get(i), left.isNegative() ? Duration.ZERO : left);
		}
	}

}
