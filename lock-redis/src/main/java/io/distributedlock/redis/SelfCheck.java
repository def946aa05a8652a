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

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockStoreException;
import io.distributedlock.redis.internal.driver.DaemonThreads;
import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.RedisErrors;
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
 * Checks whether locks can be kept at all: whether the server answers and is of the right
 * kind, whether the user may run every command on every primary, and which keys may go
 * into one script. Harmless: it uses keys that no lock can have. Once it was asked for,
 * no acquisition is sent before a check has found nothing missing. Thread-safe.
 */
final class SelfCheck implements AutoCloseable {

	private static final LockLog logger = LockLog.of(SelfCheck.class);

	private static final byte[] PROBE = LockScript.read("probe.lua");

	/** No script has it, so that it is answered by an error of one kind or another. */
	private static final String NO_DIGEST = "0".repeat(40);

	private static final byte[] SCATTERED = LockScript.read("scattered.lua");

	/** Two servers of the same size behind one address are found 127 of 128 times. */
	private static final int SCATTERED_KEYS = 8;

	private static final int MOST_CONTACTS = 4;

	/** No lock has this request. */
	private static final RenewCommand NOTHING = new RenewCommand(new LockKey("", "%probe"), new RequestId(0, 0),
			Duration.ZERO);

	/**
	 * Longer than the pause between two attempts to connect to a node, and so short that
	 * all contacts are made within the time-out of a command by default.
	 */
	private static final long PAUSE_MILLIS = 200;

	/** Before the start of the application goes on. */
	private static final long SUSPICIOUS_MILLIS = 2_000;

	private final RedisDriver driver;

	private final RedisStoreSettings settings;

	private final RedisSetup setup;

	private final ScriptRunner runner;

	private final LockServer server;

	private final ThreadPoolExecutor thread = DaemonThreads.pool("redis-probe", 1);

	/** Whether acquisitions need not wait for a check. */
	volatile boolean passed = true;

	/** Whether releases wake waiters, as far as was found. */
	volatile boolean wakes = true;

	/** Completes when a check has found nothing missing. */
	final CompletableFuture<Void> permitted = new CompletableFuture<>();

	/** The check that was begun last. Guarded by this. */
	private @Nullable CompletableFuture<Void> last;

	/** What the server says about each rule that is missing. Confined to the thread. */
	private final Map<String, String> refused = new LinkedHashMap<>();

	SelfCheck(RedisDriver driver, RedisStoreSettings settings, RedisSetup setup, ScriptRunner runner,
			LockServer server) {
		this.driver = driver;
		this.settings = settings;
		this.setup = setup;
		this.runner = runner;
		this.server = server;
	}

	/** Check now. Calls at the same time share one check. */
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
			tryEverything();
			requirePermissions();
			if (!this.server.hasSlots()) {
				requireOneServer();
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
	 * Waits until the server says anything, also that this is not allowed. The driver
	 * limits how long the first connection may take. Asks again when the connection broke
	 * while it was set up: Lettuce may lose what the server said, so that a refused
	 * password or database, or a server of another kind, shows as a closed connection.
	 */
	private void contact(int attempt) throws Throwable {
		try {
			connect();
			ask();
		}
		catch (ExecutionException ex) {
			Throwable failure = said(ex);
			if (RedisFailures.isBrokenHandshake(failure) && attempt < MOST_CONTACTS) {
				new CompletableFuture<@Nullable Void>().completeOnTimeout(null, PAUSE_MILLIS, TimeUnit.MILLISECONDS)
					.get();
				contact(attempt + 1);
				return;
			}
			if (RedisErrors.refusal(failure) == null) {
				requireSameTls(failure);
				throw failure;
			}
		}
		this.server.met = true;
	}

	/**
	 * The set-up of TLS with a server that has none ends later than the start waits.
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

	/** See whether a failure that says nothing is one of TLS. */
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

	/** What the driver said of the connection, or of the command. */
	private static Throwable said(ExecutionException ex) {
		Throwable failure = (ex.getCause() != null) ? ex.getCause() : ex;
		return (failure instanceof LockStoreException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/** Try what the store will do, and note what of it the user may not. */
	private void tryEverything() {
		this.refused.clear();
		String anywhere = this.setup.server();
		Map<String, byte[]> keys = keys(anywhere);
		byte[] channel = bytes("!probe");
		// A connection may be looked at before it is given out.
		attempt(anywhere, RedisPermission.INFO, () -> {
			try (RedisConnection connection = this.driver.factory().getConnection()) {
				RedisScriptingCommands commands = connection.scriptingCommands();
				keys.forEach((node, key) -> {
					attempt(node, RedisPermission.EVALSHA,
							() -> commands.evalSha(NO_DIGEST, ReturnType.MULTI, 1, key, channel));
					attempt(node, RedisPermission.EVAL,
							() -> refused(node, commands.eval(PROBE, ReturnType.MULTI, 1, key, channel)));
				});
			}
		});
		if (this.settings.replicaAcks().isWanted()) {
			// What a connection cannot do without is refused when it is opened.
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

	/** The percent sign begins an escape in the key of a lock, and this is none. */
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
					this.refused.values().stream().distinct().collect(Collectors.joining("; ")));
		}
		List<String> degrading = rules.getOrDefault(true, List.of());
		this.wakes = degrading.isEmpty();
		if (!this.wakes) {
			logger.warn(
					"The Redis user '%s'%s lacks %s: waiters of distributed locks are not woken and poll. Allow it by: %s"
						.formatted(user, this.setup.server().isEmpty() ? "" : " of " + this.setup.server(),
								String.join(" ", degrading), RedisPermission.remedy(user, degrading)));
		}
	}

	/**
	 * Try whether a script sees all of its keys. A proxy may spread keys over servers
	 * that do not know of each other and send a script to the server of its first key:
	 * nothing is refused then, and the other keys of the script are not those of their
	 * locks.
	 */
	private void requireOneServer() {
		try (RedisConnection connection = this.driver.factory().getConnection()) {
			RedisScriptingCommands commands = connection.scriptingCommands();
			// What a fail-over forgets between two commands is not forgotten twice.
			if (!seesAll(commands) && !seesAll(commands)) {
				throw new IllegalStateException("LOCKSCATTERED A script does not see all of its keys");
			}
		}
		catch (RuntimeException ex) {
			if (!RedisFailures.isCrossSlot(ex)) {
				throw ex;
			}
			this.server.failed(ex);
		}
	}

	/** Leaves nothing behind but marks that are not seen, for a minute. */
	private boolean seesAll(RedisScriptingCommands commands) {
		String name = "%scattered" + UUID.randomUUID() + '-';
		byte[][] keys = IntStream.range(0, SCATTERED_KEYS).mapToObj((i) -> bytes(name + i)).toArray(byte[][]::new);
		for (byte[] key : keys) {
			commands.eval(SCATTERED, ReturnType.INTEGER, 1, key);
		}
		Long marked = commands.eval(SCATTERED, ReturnType.INTEGER, keys.length, keys);
		return marked != null && marked == keys.length;
	}

	/** What a server of another kind says may pass where Redis has answered before. */
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
