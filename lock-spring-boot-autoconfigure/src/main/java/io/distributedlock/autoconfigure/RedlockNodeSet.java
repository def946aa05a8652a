package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.redis.MissingPermissionsException;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.UnsuitableServerException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The nodes of a quorum, which are closed with its store. Stops the start of an
 * application which may not do on one of them what locks need, or which has named one
 * server twice.
 */
final class RedlockNodeSet implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(RedlockNodeSet.class);

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
		Map<Integer, Unchecked> unchecked = new TreeMap<>();
		Duration patience = LockPermissionCheck.patience(this.nodes.get(0).commandTimeout());
		long start = System.nanoTime();
		for (int i = 0; i < checks.size(); i++) {
			Unchecked result = await(i, checks.get(i), patience.minusNanos(System.nanoTime() - start));
			if (result != null) {
				unchecked.put(i, result);
			}
		}
		for (int i = 0; i < this.nodes.size(); i++) {
			requirePrimary(i, this.nodes.get(i).replicaOf());
			requireOther(i, this.nodes.get(i).sameServerAs());
		}
		String meanwhile = "it grants a lock; until then there are %d of %d nodes, and a lock takes %d"
			.formatted(this.nodes.size() - unchecked.size(), this.nodes.size(), this.nodes.size() / 2 + 1);
		unchecked.forEach((index, result) -> {
			String name = this.nodes.get(index).name();
			logger.warn(result.describe(name, patience, name.startsWith("rediss:")) + LockPermissionCheck.LATER
					+ meanwhile);
		});
	}

	private @Nullable Unchecked await(int index, CompletableFuture<Void> check, Duration left) {
		try {
			return LockPermissionCheck.await(check, left);
		}
		catch (UnsuitableServerException ex) {
			throw new InvalidLockPropertyException(name(index), this.values.get(index), ex.getProblem(), ex.getRemedy(),
					ex);
		}
		catch (LockStoreException ex) {
			String remedy = (ex instanceof MissingPermissionsException missing)
					? "Run %s on this server, or write the same into the file that it reads its users from"
						.formatted(missing.getRemedy())
					: "Check the user and the password in this address, special characters of which are percent-encoded, "
							+ "and what the user may do on this server";
			throw new InvalidLockPropertyException(name(index), this.values.get(index),
					"names a server that does not let locks work: " + ex.getMessage(), remedy, ex);
		}
	}

	/** One that takes writes is one as well. */
	private void requirePrimary(int index, @Nullable String primary) {
		if (primary != null) {
			throw new InvalidLockPropertyException(name(index), this.values.get(index),
					"is a replica of %s, which grants no locks".formatted(primary), RedlockNodes.REMEDY);
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
