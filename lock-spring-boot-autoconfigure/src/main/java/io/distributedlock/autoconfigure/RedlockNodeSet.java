package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.MissingPermissionsException;
import io.distributedlock.redis.RedisQuorumNode;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The nodes of a quorum, which are closed with its store. Stops the start of an
 * application which may not do on one of them what locks need, or which has named one
 * server twice.
 */
final class RedlockNodeSet implements SmartInitializingSingleton {

	private final String property;

	private final List<String> values;

	private final List<RedisQuorumNode> nodes;

	/**
	 * Create the set.
	 * @param property the name of the list of nodes
	 * @param values what it says, without passwords
	 * @param nodes the nodes, in the same order
	 */
	RedlockNodeSet(String property, List<String> values, List<RedisQuorumNode> nodes) {
		this.property = property;
		this.values = values;
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
			await(i, checks.get(i), left.isNegative() ? Duration.ZERO : left);
		}
		for (int i = 0; i < this.nodes.size(); i++) {
			requireOther(i, this.nodes.get(i).sameServerAs());
		}
	}

	private void await(int index, CompletableFuture<Void> check, Duration left) {
		try {
			LockPermissionCheck.await(this.nodes.get(index).name(), check, left);
		}
		catch (LockStoreException ex) {
			String remedy = (ex instanceof MissingPermissionsException missing)
					? "Run %s on this server, or write the same into the file that it reads its users from"
						.formatted(missing.getRemedy())
					: "Check the user and the password in this address, special characters of which are percent-encoded, "
							+ "and what the user may do on this server";
			throw new InvalidLockPropertyException(name(index), this.values.get(index),
					"names a server that does not let locks work: " + ex.getMessage(),
					remedy + "; docs/acl.md lists all that is needed", ex);
		}
	}

	private void requireOther(int index, @Nullable String other) {
		if (other != null) {
			throw new InvalidLockPropertyException(name(index), this.values.get(index),
					"is the same server as %s under another name, and would have two votes".formatted(other),
					RedlockNodes.REMEDY);
		}
	}

	private String name(int index) {
		return this.property + "[" + index + "]";
	}

}
