package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.autoconfigure.LockPermissionCheck.Unchecked;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.autoconfigure.diagnostics.MaskedAddress;
import io.distributedlock.redis.MissingPermissionsException;
import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.UnsuitableServerException;
import io.distributedlock.redlock.RedlockLockStore;
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

	private static final String REMEDY = "Use three or five independent servers such as redis://redis1:6379, "
			+ "none of which is a replica of another";

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

	/** Read where the nodes are, or say why they cannot be a quorum. */
	static List<RedisNodeAddress> addresses(String property, List<String> nodes) {
		List<RedisNodeAddress> addresses = new ArrayList<>();
		for (int i = 0; i < nodes.size(); i++) {
			addresses.add(address(property + "[" + i + "]", nodes.get(i)));
		}
		requireQuorum(property, addresses);
		for (int i = 0; i < addresses.size(); i++) {
			requireOtherAddress(property + "[" + i + "]", addresses.get(i), addresses.subList(0, i));
		}
		return addresses;
	}

	private static RedisNodeAddress address(String property, String node) {
		try {
			return RedisNodeAddress.parse(node);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockPropertyException(property, MaskedAddress.of(node), String.valueOf(ex.getMessage()),
					"Write redis://user:password@host:port/database, or rediss:// for TLS; special characters of the "
							+ "password are percent-encoded");
		}
	}

	private static void requireQuorum(String property, List<RedisNodeAddress> addresses) {
		int size = addresses.size();
		if (size == 0) {
			throw new InvalidLockPropertyException(property, "", "names no node", REMEDY);
		}
		if (size < RedlockLockStore.FEWEST_NODES) {
			throw new InvalidLockPropertyException(property, addresses,
					"names %d of at least %d nodes: a majority of fewer is all of them, so that none may fail"
						.formatted(size, RedlockLockStore.FEWEST_NODES),
					REMEDY);
		}
		if (size % 2 == 0) {
			throw new InvalidLockPropertyException(property, addresses,
					"names an even number of nodes: of %d no more may fail than of %d, and one more can".formatted(size,
							size - 1),
					REMEDY);
		}
		if (size > RedlockLockStore.MOST_NODES) {
			throw new InvalidLockPropertyException(property, addresses,
					"names more than %d nodes".formatted(RedlockLockStore.MOST_NODES), REMEDY);
		}
	}

	/** Another database of a server fails with it. */
	private static void requireOtherAddress(String property, RedisNodeAddress address, List<RedisNodeAddress> before) {
		for (RedisNodeAddress other : before) {
			if (other.host().equalsIgnoreCase(address.host()) && other.port() == address.port()) {
				throw new InvalidLockPropertyException(property, address,
						"is the same server as " + other + ", and would have two votes", REMEDY);
			}
		}
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
					"is a replica of %s, which grants no locks".formatted(primary), REMEDY);
		}
	}

	private void requireOther(int index, @Nullable String other) {
		if (other != null) {
			throw new InvalidLockPropertyException(name(index), this.values.get(index),
					"is the same server as %s under another name, and would have two votes".formatted(other), REMEDY);
		}
	}

	private String name(int index) {
		return this.property + "[" + index + "]";
	}

}
