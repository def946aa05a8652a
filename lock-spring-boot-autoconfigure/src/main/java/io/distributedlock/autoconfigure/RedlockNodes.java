package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.autoconfigure.diagnostics.MaskedAddress;
import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redlock.RedlockLockStore;

/**
 * Reads where the nodes of a quorum are, or says why they cannot be one.
 */
final class RedlockNodes {

	static final String REMEDY = "Use three or five independent servers such as redis://redis1:6379, "
			+ "none of which is a replica of another";

	private RedlockNodes() {
	}

	static List<RedisNodeAddress> addresses(String property, List<String> nodes) {
		List<RedisNodeAddress> addresses = new ArrayList<>();
		for (int i = 0; i < nodes.size(); i++) {
			addresses.add(address(property + "[" + i + "]", nodes.get(i)));
		}
		requireQuorum(property, addresses);
		for (int i = 0; i < addresses.size(); i++) {
			requireOther(property + "[" + i + "]", addresses.get(i), addresses.subList(0, i));
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
	private static void requireOther(String property, RedisNodeAddress address, List<RedisNodeAddress> before) {
		for (RedisNodeAddress other : before) {
			if (other.host().equalsIgnoreCase(address.host()) && other.port() == address.port()) {
				throw new InvalidLockPropertyException(property, address,
						"is the same server as " + other + ", and would have two votes", REMEDY);
			}
		}
	}

}
