package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockStoreException;
import io.distributedlock.redis.internal.driver.DaemonThreads;
import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.redis.internal.driver.Refusals;
import io.distributedlock.redis.internal.driver.RedisTarget;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Checks that locks can be kept: the server answers and is of the right kind, and the
 * user may run every command on every primary. Finds out which keys may go into one
 * script. Harmless: it uses keys that no lock can have. After the first call, no
 * acquisition is sent before a check has found nothing missing. Thread-safe.
 */
final class SelfCheck implements AutoCloseable {

	private static final LockLog logger = LockLog.of(SelfCheck.class);

	private static final byte[] PROBE = LockScript.read("probe.lua");

	/** Digest of no script, so that the answer is an error of one kind or another. */
	private static final String NO_DIGEST = "0".repeat(40);

	private static final byte[] UNKNOWN = LockScript.read("unknown.lua");

	private static final byte[] SCATTERED = LockScript.read("scattered.lua");

	/**
	 * Number of keys that finds two equal servers behind one address in 127 of 128 cases.
	 */
	private static final int SCATTERED_KEYS = 8;

	private static final int MOST_CONTACTS = 4;

	/** Renewal for a request that no lock has. */
	private static final RenewCommand NOTHING = new RenewCommand(new LockKey("", "%probe"), new RequestId(0, 0),
			Duration.ZERO);

	/**
	 * Longer than the pause between two attempts to connect to a node. Short enough for
	 * all contacts within the default time-out of a command.
	 */
	private static final long PAUSE_MILLIS = 200;

	/**
	 * Time until a probe for TLS, shorter than the wait at the start of the application.
	 */
	private static final long SUSPICIOUS_MILLIS = 2_000;

	private final RedisDriver driver;

	private final RedisStoreSettings settings;

	private final RedisSetup setup;

	private final ScriptRunner runner;

	private final LockServer server;

	private final ThreadPoolExecutor thread = DaemonThreads.pool("redis-probe", 1);

	/** {@code true} if acquisitions need not wait for a check. */
	volatile boolean passed = true;

	/** Cleared if a check has found that the user lacks permissions for wake-ups. */
	volatile boolean wakes = true;

	/** Completes with the first check that finds nothing missing. */
	final CompletableFuture<Void> permitted = new CompletableFuture<>();

	/** The latest check. Guarded by this. */
	private @Nullable CompletableFuture<Void> last;

	/** The server's text for each missing rule. Confined to the thread. */
	private final Map<String, String> refused = new LinkedHashMap<>();

	SelfCheck(RedisDriver driver, RedisStoreSettings settings, RedisSetup setup, ScriptRunner runner,
			LockServer server) {
		this.driver = driver;
		this.settings = settings;
		this.setup = setup;
		this.runner = runner;
		this.server = server;
	}

	/** Start a check, or share the one that is under way. */
	synchronized CompletableFuture<Void> run() {
		if (this.last != null && !this.last.isDone()) {
			return this.last;
		}
		this.passed = false;
		CompletableFuture<Void> check = new CompletableFuture<>();
		this.last = check;
		try {
			this.thread.execute(() -> end(check, failure()));
		}
		catch (RejectedExecutionException ex) {
			end(check, new IllegalStateException("The lock store is closed", ex));
		}
		return check;
	}

	@SuppressWarnings("NullAway")
	private void end(CompletableFuture<Void> check, @Nullable Throwable failure) {
		if (failure != null) {
			check.completeExceptionally(failure);
			return;
		}
		this.passed = true;
		check.complete(null);
		this.permitted.complete(null);
	}

	private @Nullable Throwable failure() {
		try {
			contact(1);
			connected(this::tryEverything, 1);
			requirePermissions();
			if (!this.server.hasSlots()) {
				connected(this::requireOneServer, 1);
			}
			return null;
		}
		catch (MissingPermissionsException ex) {
			return ex;
		}
		catch (Throwable ex) {
			return described(ex);
		}
	}

	/**
	 * Wait until the server sends anything, even a refusal. The driver limits the time of
	 * the first connection. A connection that broke during its set-up is tried again:
	 * Lettuce may lose the server's text. A refused password or database, or a server of
	 * another kind, then shows as a closed connection.
	 */
	private void contact(int attempt) throws Throwable {
		try {
			connect();
			ask();
		}
		catch (ExecutionException ex) {
			Throwable failure = said(ex);
			if (RedisFailures.isBrokenHandshake(failure) && attempt < MOST_CONTACTS) {
				pause();
				contact(attempt + 1);
				return;
			}
			// The rest of the check names commands that are refused or unknown.
			if (RedisErrors.refusal(failure) == null && Unsuitability.of(failure) != Unsuitability.SCRIPT_COMMANDS) {
				requireSameTls(failure);
				throw failure;
			}
		}
		this.server.met = true;
	}

	/**
	 * Run what opens connections of its own. Starts again if one broke during its set-up,
	 * as the contact does.
	 */
	private static void connected(Runnable part, int attempt) throws ExecutionException, InterruptedException {
		try {
			part.run();
		}
		catch (RuntimeException ex) {
			if (!RedisFailures.isBrokenHandshake(ex) || attempt == MOST_CONTACTS) {
				throw ex;
			}
			pause();
			connected(part, attempt + 1);
		}
	}

	private static void pause() throws ExecutionException, InterruptedException {
		new CompletableFuture<@Nullable Void>().completeOnTimeout(null, PAUSE_MILLIS, TimeUnit.MILLISECONDS).get();
	}

	/**
	 * Connect. With TLS a probe follows after a while: the set-up with a server that has
	 * no TLS ends later than the start waits.
	 */
	private void connect() throws ExecutionException, InterruptedException {
		CompletableFuture<?> connecting = this.runner.connect();
		try {
			if (this.driver.target().tls()) {
				connecting.get(SUSPICIOUS_MILLIS, TimeUnit.MILLISECONDS);
			}
		}
		catch (TimeoutException ex) {
			requireSameTls(ex);
		}
		connecting.get();
	}

	/** Throw if an unclear failure is one of TLS. */
	private void requireSameTls(Throwable failure) {
		String seen = (this.server.met || Unsuitability.of(failure) != null) ? null
				: PortProbe.mistakeInTls(this.driver);
		if (seen != null) {
			throw new IllegalStateException(seen, failure);
		}
	}

	private void ask() throws ExecutionException, InterruptedException, TimeoutException {
		Duration limit = this.settings.commandTimeout().multipliedBy(2);
		ScriptCommand<?> contact = ScriptCommand.renew(this.server, List.of(NOTHING)).send(this.runner);
		try {
			contact.get(limit.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			throw new TimeoutException("waited for " + InvalidSettingException.text(limit));
		}
		finally {
			contact.cancel(true);
		}
	}

	/** Return the driver's failure of the connection, or of the command. */
	private static Throwable said(ExecutionException ex) {
		Throwable failure = (ex.getCause() != null) ? ex.getCause() : ex;
		return (failure instanceof LockStoreException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/** Try the commands of the store, and note those that the user may not run. */
	private void tryEverything() {
		this.refused.clear();
		String anywhere = this.setup.server();
		Map<String, byte[]> keys = keys(anywhere);
		byte[] channel = bytes("!probe");
		// A node's connection is identified by INFO before it is given out.
		attempt(anywhere, RedisPermission.INFO, () -> {
			try (RedisConnection connection = this.driver.factory().getConnection()) {
				RedisScriptingCommands commands = connection.scriptingCommands();
				keys.forEach((node, key) -> {
					attempt(node, RedisPermission.EVALSHA,
							() -> commands.evalSha(NO_DIGEST, ReturnType.MULTI, 1, key, channel));
					attempt(node, RedisPermission.EVAL,
							() -> refused(node, commands.eval(PROBE, ReturnType.MULTI, 1, key, channel)));
					attempt(node, RedisPermission.EVAL,
							() -> requireNone(node, commands.eval(UNKNOWN, ReturnType.MULTI, 1, commandsAfter(key))));
				});
			}
		});
		if (this.settings.replicaAcks().isWanted()) {
			// This also shows a refused command that a connection needs when it is
			// opened.
			keys.forEach((node, key) -> attempt(node, RedisPermission.WAIT, () -> this.driver.tryWait(key)));
		}
	}

	/** A key on each primary, by the name of the primary. */
	private Map<String, byte[]> keys(String anywhere) {
		ClusterNodes cluster = this.server.cluster;
		if (cluster == null) {
			return Map.of(anywhere, bytes("%probe0"));
		}
		attempt(anywhere, RedisPermission.CLUSTER_NODES, cluster::readNow);
		return cluster.keys(this.settings.keyPrefix() + "%probe");
	}

	/**
	 * Return a name with the prefix. No lock has it, since a percent sign begins an
	 * escape in the key of a lock.
	 */
	private byte[] bytes(String name) {
		return (this.settings.keyPrefix() + name).getBytes(StandardCharsets.UTF_8);
	}

	private void attempt(String node, RedisPermission permission, Runnable command) {
		try {
			command.run();
		}
		catch (RuntimeException ex) {
			String said = RedisErrors.refusal(ex);
			if (said != null) {
				refused(node, permission, said);
			}
			else if (!RedisErrors.isNoScript(ex)) {
				throw ex;
			}
		}
	}

	/** Note the commands that probe.lua could not run. */
	private void refused(String node, @Nullable List<?> lines) {
		for (Object line : (lines != null) ? lines : List.of()) {
			String[] refusal = new String((byte[]) line, StandardCharsets.UTF_8).split(" ", 2);
			refused(node, RedisPermission.of(refusal[0]), refusal[1]);
		}
	}

	private static byte[][] commandsAfter(byte[] key) {
		Stream<byte[]> commands = RedisPermission.inScripts()
			.stream()
			.map((each) -> each.name().getBytes(StandardCharsets.US_ASCII));
		return Stream.concat(Stream.of(key), commands).toArray(byte[][]::new);
	}

	/** Throw if a server does not know commands. */
	private static void requireNone(String node, @Nullable List<?> unknown) {
		if (unknown != null && !unknown.isEmpty()) {
			throw new IllegalStateException(
					"LOCKCOMMANDS %s does not know %s".formatted(node.isEmpty() ? "The server" : node,
							unknown.stream()
								.map((command) -> new String((byte[]) command, StandardCharsets.US_ASCII))
								.collect(Collectors.joining(", "))));
		}
	}

	private void refused(String node, RedisPermission permission, String said) {
		this.refused.putIfAbsent(permission.rule(said, this.settings.keyPrefix()),
				node.isEmpty() ? said : node + ": " + said);
	}

	private void requirePermissions() {
		String user = this.driver.target().user();
		Map<Boolean, List<String>> rules = this.refused.keySet()
			.stream()
			.collect(Collectors.partitioningBy((rule) -> RedisPermission.isOptional(rule, this.settings.keyPrefix())));
		List<String> missing = rules.getOrDefault(false, List.of());
		if (!missing.isEmpty()) {
			throw new MissingPermissionsException(user, missing, this.setup.rulesWith(missing),
					this.refused.values().stream().distinct().collect(Collectors.joining("; ")), changesUsers(user));
		}
		List<String> degrading = rules.getOrDefault(true, List.of());
		this.wakes = degrading.isEmpty();
		if (!this.wakes) {
			logger.warn("The Redis user '%s'%s lacks %s: waiters of distributed locks are not woken and poll. %s"
				.formatted(user, this.setup.server().isEmpty() ? "" : " of " + this.setup.server(),
						String.join(" ", degrading), RedisPermission.advice(user, degrading, changesUsers(user))));
		}
	}

	/**
	 * Return whether the server has a command that changes users, as far as it says. It
	 * has none if it does not know {@code ACL}, or if it refuses that to its default
	 * user, as managed ones do.
	 */
	private boolean changesUsers(String user) {
		try (RedisConnection connection = this.driver.factory().getConnection()) {
			return !isRefusedToAll(user, connection);
		}
		catch (RuntimeException ex) {
			return true;
		}
	}

	private static boolean isRefusedToAll(String user, RedisConnection connection) {
		try {
			connection.execute("ACL", "WHOAMI".getBytes(StandardCharsets.US_ASCII));
			return false;
		}
		catch (RuntimeException ex) {
			return Unsuitability.of(ex) == Unsuitability.COMMANDS
					|| (user.equals("default") && RedisErrors.refusal(ex) != null);
		}
	}

	/**
	 * Check that a script sees all of its keys. A proxy may spread keys over servers that
	 * do not know of each other, and send a script to the server of its first key.
	 * Nothing is refused then, but the other keys are not those of their locks.
	 */
	private void requireOneServer() {
		try (RedisConnection connection = this.driver.factory().getConnection()) {
			RedisScriptingCommands commands = connection.scriptingCommands();
			// The second try is for a fail-over between two commands, which may forget
			// marks.
			if (!seesAll(commands) && !seesAll(commands)) {
				throw new IllegalStateException("LOCKSCATTERED A script does not see all of its keys");
			}
		}
		catch (RuntimeException ex) {
			if (!Refusals.isCrossSlot(ex)) {
				throw ex;
			}
			this.server.failed(ex);
		}
	}

	/**
	 * Return whether a script sees all marked keys. Marks that it does not see stay for a
	 * minute.
	 */
	private boolean seesAll(RedisScriptingCommands commands) {
		String name = "%scattered" + UUID.randomUUID() + '-';
		byte[][] keys = IntStream.range(0, SCATTERED_KEYS).mapToObj((i) -> bytes(name + i)).toArray(byte[][]::new);
		for (byte[] key : keys) {
			commands.eval(SCATTERED, ReturnType.INTEGER, 1, key);
		}
		Long marked = commands.eval(SCATTERED, ReturnType.INTEGER, keys.length, keys);
		return marked != null && marked == keys.length;
	}

	/**
	 * Return the exception for a failed check. An error that another kind of server gives
	 * may pass if Redis has answered before.
	 */
	private LockStoreException described(Throwable failure) {
		RedisTarget target = this.driver.target();
		Unsuitability found = Unsuitability.of(failure);
		boolean mayPass = this.server.met && found != null && found.mayFollowAnAnswer();
		LockStoreException unsuitable = mayPass ? null
				: UnsuitableServerException.of(this.setup, target.address(), target.sentinels(), failure);
		return (unsuitable != null) ? unsuitable
				: RedisFailures.isMisconfiguration(failure) ? RedisFailures.translate("try the permissions for",
						this.settings.keyPrefix() + '*', this.setup, this.server.met, failure)
						: RedisFailures.outage(this.setup, failure);
	}

	/** End a check that is under way. Waits for it a moment. */
	@Override
	public void close() {
		DaemonThreads.end(this.thread);
		DaemonThreads.awaitEnd(this.thread);
	}

}
