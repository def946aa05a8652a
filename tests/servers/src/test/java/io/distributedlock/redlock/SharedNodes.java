package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.LeastPrivilege;
import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.RedisStoreSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * Independent servers for all tests that do not torture them. They end with the JVM.
 */
public final class SharedNodes {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final List<RedisServer> SERVERS = new ArrayList<>();

	private static final List<RedisCommands<String, String>> ADMINS = new ArrayList<>();

	private SharedNodes() {
	}

	public static synchronized List<RedisServer> servers(int count) {
		while (SERVERS.size() < count) {
			SERVERS.add(RedisServers.start(LeastPrivilege.quorumSettings()));
		}
		return SERVERS.subList(0, count);
	}

	/** Connections for tests that read or change the data of the nodes. */
	static synchronized List<RedisCommands<String, String>> admins(int count) {
		for (RedisServer server : servers(count).subList(ADMINS.size(), Math.max(count, ADMINS.size()))) {
			ADMINS.add(RedisClient.create(RedisURI.create(server.host(), server.port())).connect().sync());
		}
		return ADMINS.subList(0, count);
	}

	/** A store on some nodes, which count at once though they have just started. */
	public static RedlockLockStore store(List<RedisServer> servers, RedisStoreSettings settings) {
		return store(servers, settings, Duration.ZERO);
	}

	static RedlockLockStore store(List<RedisServer> servers, RedisStoreSettings settings, Duration restartDelay) {
		return new RedlockLockStore(nodes(servers, settings, restartDelay), RedlockSettings.DEFAULTS);
	}

	/** The nodes of a store, which count at once though they have just started. */
	public static List<RedisQuorumNode> nodes(List<RedisServer> servers, RedisStoreSettings settings) {
		return nodes(servers, settings, Duration.ZERO);
	}

	private static List<RedisQuorumNode> nodes(List<RedisServer> servers, RedisStoreSettings settings,
			Duration restartDelay) {
		return RedisQuorumNode.connect(servers.stream().map(SharedNodes::address).toList(), settings, restartDelay);
	}

	/**
	 * A store for which a slow node is no other than a quick one, so that the first is
	 * the first for all instances on a slow machine too.
	 */
	static RedlockLockStore patientStore(List<RedisServer> servers, RedisStoreSettings settings) {
		List<RedisNodeAddress> addresses = servers.stream().map(SharedNodes::address).toList();
		RedisStoreSettings patient = new RedisStoreSettings(settings.keyPrefix(), settings.tokenRetention(), PATIENCE,
				settings.wakeUpBySubscription());
		return new RedlockLockStore(RedisQuorumNode.connect(addresses, patient, Duration.ZERO),
				new RedlockSettings(PATIENCE));
	}

	static RedisNodeAddress address(RedisServer server) {
		return new RedisNodeAddress(server.host(), server.port(), 0, LeastPrivilege.USER, LeastPrivilege.PASSWORD,
				null);
	}

}
