package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockStoreException;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.redis.MissingPermissionsException;
import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.UnsuitableServerException;
import io.distributedlock.redlock.RedlockLockStore;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The nodes of a quorum, which are closed with its store. Stops the start if the user
 * lacks permissions on a node, if a node is a replica, or if two nodes are the same
 * server.
 */
final class RedlockNodeSet implements SmartInitializingSingleton {

	private static final String REMEDY = "Use three or five independent servers such as redis://redis1:6379, "
			+ "none of which is a replica of another";

	private static final LockLog logger = LockLog.of(RedlockNodeSet.class);

	private final String property;

	private final List<RedisNodeAddress> addresses;

	private final List<RedisQuorumNode> nodes;

	/**
	 * Create the set.
	 * @param property the name of the list of nodes
	 * @param addresses the addresses of the nodes
	 * @param nodes the nodes, in the same order
	 */
	RedlockNodeSet(String property, List<RedisNodeAddress> addresses, List<RedisQuorumNode> nodes) {
		this.property = property;
		this.addresses = addresses;
		this.nodes = nodes;
	}

	/** Parse the addresses of the nodes, and refuse nodes that cannot be a quorum. */
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
			throw new InvalidLockPropertyException(property, "****", String.valueOf(ex.getMessage()),
					"Write redis://user:password@host:port/database, or rediss:// for TLS; special characters of the "
							+ "password are percent-encoded",
					null);
		}
	}

	private static void requireQuorum(String property, List<RedisNodeAddress> addresses) {
		try {
			RedlockLockStore.requireQuorum(addresses.size());
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockPropertyException(property, addresses, "cannot work: " + ex.getMessage(), REMEDY,
					null);
		}
	}

	/** Refuse a server twice, also with another database: both fail together. */
	private static void requireOtherAddress(String property, RedisNodeAddress address, List<RedisNodeAddress> before) {
		for (RedisNodeAddress other : before) {
			if (other.host().equalsIgnoreCase(address.host()) && other.port() == address.port()) {
				throw new InvalidLockPropertyException(property, address,
						"is the same server as " + other + ", and would have two votes", REMEDY, null);
			}
		}
	}

	List<RedisQuorumNode> nodes() {
		return this.nodes;
	}

	@Override
	public void afterSingletonsInstantiated() {
		List<CompletableFuture<Void>> checks = LockPermissionCheck.run(this.nodes);
		Map<RedisQuorumNode, String> unchecked = new LinkedHashMap<>();
		for (int i = 0; i < checks.size(); i++) {
			String why = unchecked(i, checks.get(i));
			if (why != null) {
				unchecked.put(this.nodes.get(i), why);
			}
		}
		for (int i = 0; i < this.nodes.size(); i++) {
			requireVote(i, this.nodes.get(i));
		}
		AtomicInteger usable = new AtomicInteger(this.nodes.size() - unchecked.size());
		unchecked.values()
			.forEach((why) -> logger
				.warn(why + LockPermissionCheck.LATER + "it grants a lock; until then " + nodes(usable.get())));
		unchecked.keySet()
			.forEach((node) -> node.permitted()
				.thenRun(() -> logger
					.info(node.name() + LockPermissionCheck.PERMITTED + nodes(usable.incrementAndGet()))));
	}

	private String nodes(int usable) {
		return "there are %d of %d nodes, and a lock takes %d".formatted(usable, this.nodes.size(),
				this.nodes.size() / 2 + 1);
	}

	private @Nullable String unchecked(int index, CompletableFuture<Void> check) {
		try {
			return LockPermissionCheck.unchecked(this.nodes.get(index).name(), check);
		}
		catch (UnsuitableServerException ex) {
			throw refusal(index, ex.getProblem(), ex.getRemedy(), ex);
		}
		catch (LockStoreException ex) {
			String remedy = (ex instanceof MissingPermissionsException missing)
					? ("Allow it on this server: %s. One that reads its users from a file needs it there, a managed one where it "
							+ "manages its users")
						.formatted(missing.getRemedy())
					: "Check the user and the password in this address, special characters of which are percent-encoded, "
							+ "and what the user may do on this server";
			throw refusal(index, "names a server that does not let locks work: " + ex.getMessage(), remedy, ex);
		}
	}

	/**
	 * Refuse a replica, also one that takes writes, and the same server under another
	 * name.
	 */
	private void requireVote(int index, RedisQuorumNode node) {
		if (node.replicaOf() != null) {
			throw refusal(index, "is a replica of %s, which grants no locks".formatted(node.replicaOf()), REMEDY, null);
		}
		if (node.sameServerAs() != null) {
			throw refusal(index, "is the same server as %s under another name, and would have two votes"
				.formatted(node.sameServerAs()), REMEDY, null);
		}
	}

	private InvalidLockPropertyException refusal(int index, String problem, String remedy, @Nullable Throwable cause) {
		return new InvalidLockPropertyException(this.property + "[" + index + "]", this.addresses.get(index), problem,
				remedy, cause);
	}

}
