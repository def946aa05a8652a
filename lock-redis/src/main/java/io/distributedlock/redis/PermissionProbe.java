package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.redis.driver.RedisDriver;
import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Tries what the store will do, on every primary, and finds what of it the user of the
 * connection may not. Blocks. Uses a key that no lock can have.
 */
final class PermissionProbe {

	private static final LockLog logger = LockLog.of(PermissionProbe.class);

	private static final byte[] SCRIPT = LockScript.read("probe.lua");

	/** No script has it, so that it is answered by an error of one kind or another. */
	private static final String NO_DIGEST = "0".repeat(40);

	private static final int MOST_KEYS = 100_000;

	/** How many keys tell a node of a cluster, which has not all of their slots. */
	private static final int LONE_KEYS = 8;

	private final RedisDriver driver;

	private final RedisStoreSettings settings;

	/** What the server says about each rule that is missing. */
	private final Map<String, String> refused = new LinkedHashMap<>();

	private String node = "";

	private final RedisSetup setup;

	private PermissionProbe(RedisDriver driver, RedisStoreSettings settings, RedisSetup setup) {
		this.driver = driver;
		this.settings = settings;
		this.setup = setup;
	}

	/**
	 * Try everything.
	 * @param driver where Redis is
	 * @param settings of the store
	 * @param setup all that the user has to be allowed
	 * @return whether the user may wake waiters
	 * @throws MissingPermissionsException if the user may not do what locks need
	 * @throws RuntimeException if Redis cannot be asked
	 */
	static boolean run(RedisDriver driver, RedisStoreSettings settings, RedisSetup setup) {
		PermissionProbe probe = new PermissionProbe(driver, settings, setup);
		Map<byte[], String> keys = probe.keys();
		probe.tryScripts(keys);
		if (settings.replicaAcks().isWanted()) {
			keys.entrySet().stream().limit(driver.isCluster() ? keys.size() : 1).forEach(probe::tryWait);
		}
		return probe.report();
	}

	/** One for each primary of a cluster. */
	private Map<byte[], String> keys() {
		Map<byte[], String> keys = new LinkedHashMap<>();
		if (!this.driver.isCluster()) {
			IntStream.range(0, LONE_KEYS)
				.forEach((number) -> keys.put(key(this.settings, number), this.setup.server()));
			return keys;
		}
		try (RedisClusterConnection connection = this.driver.factory().getClusterConnection()) {
			for (RedisClusterNode node : connection.clusterGetNodes()) {
				if (node.isMaster() && node.getSlotRange().getSlotsArray().length > 0) {
					keys.put(keyAt(node), node.asString());
				}
			}
		}
		catch (RuntimeException ex) {
			refused(RedisPermission.CLUSTER_NODES, ex);
		}
		return keys;
	}

	private byte[] keyAt(RedisClusterNode node) {
		return Stream.iterate(0, (i) -> i < MOST_KEYS, (i) -> i + 1)
			.map((number) -> key(this.settings, number))
			.filter((key) -> node.servesSlot(ClusterSlotHashUtil.calculateSlot(key)))
			.findFirst()
			.orElseThrow();
	}

	/** The percent sign begins an escape in the key of a lock, and this is none. */
	static byte[] key(RedisStoreSettings settings, int number) {
		return bytes(settings.keyPrefix() + "%probe" + number);
	}

	private void tryScripts(Map<byte[], String> keys) {
		byte[] channel = bytes(this.settings.keyPrefix() + "!probe");
		// A connection may be looked at before it is given out.
		attempt(RedisPermission.INFO, () -> {
			try (RedisConnection connection = this.driver.factory().getConnection()) {
				RedisScriptingCommands commands = connection.scriptingCommands();
				keys.forEach((key, place) -> {
					this.node = place;
					attempt(RedisPermission.EVALSHA,
							() -> commands.evalSha(NO_DIGEST, ReturnType.MULTI, 1, key, channel));
					attempt(RedisPermission.EVAL,
							() -> refused(commands.eval(SCRIPT, ReturnType.MULTI, 1, key, channel)));
				});
			}
		});
	}

	private void refused(@Nullable List<?> lines) {
		for (Object line : (lines != null) ? lines : List.of()) {
			String text = new String((byte[]) line, StandardCharsets.UTF_8);
			int blank = text.indexOf(' ');
			refused(RedisPermission.of(text.substring(0, blank)), text.substring(blank + 1));
		}
	}

	private void tryWait(Map.Entry<byte[], String> key) {
		this.node = key.getValue();
		// What a connection cannot do without is refused when it is opened.
		attempt(RedisPermission.WAIT, () -> this.driver.tryWait(key.getKey()));
	}

	private void attempt(RedisPermission permission, Runnable command) {
		try {
			command.run();
		}
		catch (RuntimeException ex) {
			if (!RedisErrors.isNoScript(ex)) {
				refused(permission, ex);
			}
		}
	}

	private void refused(RedisPermission permission, RuntimeException failure) {
		String said = RedisErrors.refusal(failure);
		if (said == null) {
			throw failure;
		}
		refused(permission, said);
	}

	private void refused(RedisPermission permission, String said) {
		this.refused.putIfAbsent(permission.rule(said, this.settings.keyPrefix()),
				this.node.isEmpty() ? said : this.node + ": " + said);
	}

	private boolean report() {
		String user = this.driver.target().user();
		Map<Boolean, List<String>> rules = this.refused.keySet()
			.stream()
			.collect(Collectors.partitioningBy((rule) -> RedisPermission.isOptional(rule, this.settings.keyPrefix())));
		List<String> missing = rules.getOrDefault(false, List.of());
		if (!missing.isEmpty()) {
			throw new MissingPermissionsException(user, missing, this.setup.rulesWith(missing),
					String.join("; ", this.refused.values().stream().distinct().toList()));
		}
		List<String> degrading = rules.getOrDefault(true, List.of());
		if (!degrading.isEmpty()) {
			logger.warn(
					"The Redis user '%s'%s lacks %s: waiters of distributed locks are not woken and poll. Allow it by: %s"
						.formatted(user, this.setup.server().isEmpty() ? "" : " of " + this.setup.server(),
								String.join(" ", degrading), RedisPermission.remedy(user, degrading)));
		}
		return degrading.isEmpty();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
