package io.distributedlock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.distributedlock.LockStoreException;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.redis.MissingPermissionsException;
import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redis.RedisNodeTls;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.UnsuitableServerException;
import io.distributedlock.redlock.RedlockLockStore;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslManagerBundle;

/**
 * The nodes of a quorum, which are closed with its store. Stops the start if the user
 * lacks permissions on a node, if a node is a replica, or if two nodes are the same
 * server.
 */
final class RedlockNodeSet implements SmartInitializingSingleton {

	private static final String NODES = DistributedLockProperties.PREFIX + ".redlock.nodes";

	private static final String REMEDY = "Use three or five independent servers such as redis://redis1:6379, "
			+ "none of which is a replica of another";

	private static final LockLog logger = LockLog.of(RedlockNodeSet.class);

	/** Text that messages add to the property where a bean has replaced it. */
	private final String source;

	private final List<RedisNodeAddress> addresses;

	private final List<RedisQuorumNode> nodes;

	private RedlockNodeSet(String source, List<RedisNodeAddress> addresses, List<RedisQuorumNode> nodes) {
		this.source = source;
		this.addresses = addresses;
		this.nodes = nodes;
	}

	/**
	 * Create the set, and refuse nodes that cannot be a quorum.
	 * @param details the nodes
	 * @param connect makes nodes of their addresses, in the same order
	 */
	static RedlockNodeSet of(RedlockConnectionDetails details,
			Function<List<RedisNodeAddress>, List<RedisQuorumNode>> connect) {
		String source = (details instanceof PropertiesRedlockConnectionDetails) ? "" : " (RedlockConnectionDetails)";
		List<RedisNodeAddress> addresses = details.getNodes().stream().map(RedlockNodeSet::address).toList();
		requireQuorum(NODES + source, addresses);
		for (int i = 0; i < addresses.size(); i++) {
			requireOtherAddress(property(i) + source, addresses.get(i), addresses.subList(0, i));
		}
		return new RedlockNodeSet(source, addresses, connect.apply(addresses));
	}

	/** Return the property of a node. */
	static String property(int index) {
		return NODES + "[" + index + "]";
	}

	private static RedisNodeAddress address(RedlockConnectionDetails.Node node) {
		SslBundle bundle = node.sslBundle();
		return new RedisNodeAddress(node.host(), node.port(), node.database(), node.username(), node.password(),
				(bundle != null) ? tls(bundle) : null);
	}

	private static RedisNodeTls tls(SslBundle bundle) {
		SslManagerBundle managers = bundle.getManagers();
		return new RedisNodeTls(managers.getKeyManagerFactory(), managers.getTrustManagerFactory(),
				JedisForLocks.parameters(bundle.getOptions()));
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
		return new InvalidLockPropertyException(property(index) + this.source, this.addresses.get(index), problem,
				remedy, cause);
	}

}
