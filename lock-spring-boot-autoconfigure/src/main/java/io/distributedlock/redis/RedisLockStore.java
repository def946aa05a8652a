package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.driver.Reconnects;
import io.distributedlock.redis.driver.RedisDriver;
import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.redis.driver.ScriptRunner;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

import org.springframework.context.Lifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps locks in Redis, one hash per lock, with one script per operation: several locks
 * at once where their keys share a hash slot, without a cluster always. Makes connections
 * of its own from what the application has configured, uses them asynchronously where
 * that is Lettuce, and decides with the server's clock. Thread-safe.
 * <p>
 * As a bean it closes its connections when the context is stopped, and opens them when
 * the context is started again.
 * <p>
 * Tokens grow while the clocks of an old and a new primary differ by less than a
 * fail-over takes, and after the loss of a key while the clock was not set back by more
 * than the key was idle.
 *
 * @since 0.1.0
 */
public final class RedisLockStore implements LockStore, Lifecycle {

	private static final int RENEWAL_BATCH = 200;

	/** How many keys tell a node of a cluster, which has not all of their slots. */
	private static final int LONE_CONTACTS = 8;

	private final RedisStoreSettings settings;

	private final RedisSetup setup;

	private final RedisDriver driver;

	private final LockConnections connections;

	private final ScriptRunner runner;

	/** For what has to be on replicas before it is handed out. */
	private final ScriptRunner acquirer;

	private final @Nullable ClusterNodes cluster;

	private final KeyPlan plan;

	private final ScriptCommands commands;

	private final LockKeys keys;

	private final SubscriptionProbes subscriptionProbes;

	private final PermissionGate permissions;

	private final RedisWakeUps wakeUps;

	private volatile Reconnects reconnects = Reconnects.TOLD_BY_COMMANDS;

	/** Whether Redis has ever answered. */
	private volatile boolean met;

	private volatile boolean closed;

	private volatile boolean started;

	/**
	 * Create a store.
	 * @param factory where Redis is and how to connect; neither changed nor closed
	 * @param settings the settings
	 */
	public RedisLockStore(RedisConnectionFactory factory, RedisStoreSettings settings) {
		this(LockConnections.of(factory, settings), settings,
				RedisSetup.ofApplication(settings, RedisDrivers.of(factory).isCluster()));
	}

	RedisLockStore(LockConnections connections, RedisStoreSettings settings, RedisSetup setup) {
		LockScript.readAll();
		this.settings = settings;
		this.setup = setup.at(connections.scripts().target().place());
		this.connections = connections;
		this.driver = connections.scripts();
		this.cluster = this.driver.isCluster() ? new ClusterNodes(this.driver.factory()) : null;
		this.plan = new KeyPlan(this.cluster != null, this.driver.target().address());
		this.runner = this.driver.scripts(this::nodeOf, this::resubscribe);
		this.acquirer = settings.replicaAcks().isWanted() ? acknowledged(this.driver, settings) : this.runner;
		this.commands = new ScriptCommands(settings);
		this.keys = this.commands.keys();
		this.wakeUps = new RedisWakeUps(connections.subscriptions(), settings.keyPrefix());
		this.subscriptionProbes = new SubscriptionProbes(connections.subscriptions(), settings.keyPrefix());
		this.permissions = new PermissionGate(new RepeatedContact(this::contact), this::probe);
	}

	private static ScriptRunner acknowledged(RedisDriver driver, RedisStoreSettings settings) {
		return new AcknowledgedScriptRunner(driver.dedicated(settings.commandTimeout()), settings.replicaAcks());
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		if (!this.started) {
			watchReconnects();
			this.runner.warmUp();
			if (this.cluster != null) {
				this.cluster.read();
			}
			this.started = true;
		}
		if (this.settings.wakeUpBySubscription()) {
			this.wakeUps.listen(instance, listener);
		}
	}

	/**
	 * Try on every primary, harmlessly, whether the Redis user may do all that locks
	 * need. From now on no lock is handed out before such a check has found nothing
	 * missing: where this one cannot tell, the next acquisition checks first. Where only
	 * wake-ups are not allowed, that is logged as a warning, since waiters can poll.
	 * @return completes when nothing is missing; fails with a
	 * {@link MissingPermissionsException}, or with another
	 * {@link io.distributedlock.LockStoreException} where Redis cannot be asked
	 */
	public CompletableFuture<Void> checkPermissions() {
		return this.permissions.check();
	}

	/**
	 * Completes when the server says anything, also that this is not allowed. Finds out
	 * on the way whether keys of different slots may go into one script.
	 */
	private CompletableFuture<?> contact() {
		CompletableFuture<Boolean> asked = this.plan.takesAllTogether()
				? Futures.orElse(contact(0, 1), RedisFailures::isCrossSlot, this::contactOneByOne) : contact(0);
		return asked.exceptionally((failure) -> {
			if (RedisErrors.refusal(failure) != null) {
				this.met = true;
				return true;
			}
			throw new CompletionException(failure);
		});
	}

	/** A proxy answers for all keys, and a node of a cluster only for its own. */
	private CompletableFuture<Boolean> contactOneByOne() {
		return IntStream.range(0, LONE_CONTACTS)
			.mapToObj(this::contact)
			.reduce((one, other) -> one.thenCombine(other, Boolean::logicalAnd))
			.orElseThrow();
	}

	private CompletableFuture<Boolean> contact(int... numbers) {
		byte[][] probes = IntStream.of(numbers)
			.mapToObj((number) -> PermissionProbe.key(this.settings, number))
			.toArray(byte[][]::new);
		ScriptCommand command = this.commands.contact(probes);
		return Futures.translated(this.runner.run(command.script(), command.keys(), command.args()),
				(answer) -> this.met = true, this::untried);
	}

	private void probe() {
		if (this.settings.wakeUpBySubscription()) {
			this.subscriptionProbes.start();
		}
		try {
			PermissionProbe.run(this.driver, this.settings, this.setup);
			if (this.plan.takesAllTogether() && ScatteredKeys.found(this.driver.factory(), this.settings)) {
				this.plan.scattered();
			}
		}
		catch (MissingPermissionsException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw untried(ex);
		}
	}

	private LockStoreException untried(Throwable failure) {
		this.plan.failed(failure);
		LockStoreException unsuitable = (this.met && Unsuitability.mayFollowAnAnswer(failure)) ? null
				: UnsuitableServerException.of(this.setup, this.driver.target().address(),
						this.driver.target().sentinels(), failure);
		return (unsuitable != null) ? unsuitable
				: RedisFailures.isMisconfiguration(failure) ? RedisFailures.translate("try the permissions for",
						this.settings.keyPrefix() + '*', this.setup, this.met, failure)
						: RedisFailures.outage(this.setup, failure);
	}

	/** A factory that was restarted has another client. */
	private synchronized void watchReconnects() {
		this.reconnects.close();
		this.reconnects = this.driver.reconnects();
		if (this.closed) {
			this.reconnects.close();
		}
	}

	private void resubscribe() {
		watchReconnects();
		this.wakeUps.resubscribe();
	}

	@Override
	public Set<StoreCapability> capabilities() {
		Set<StoreCapability> all = EnumSet.allOf(StoreCapability.class);
		if (!this.settings.wakeUpBySubscription()) {
			all.remove(StoreCapability.WAKE_UPS);
		}
		if (!this.driver.runsOnCallers()) {
			all.remove(StoreCapability.CALLER_THREAD);
		}
		return all;
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return this.plan.takesTogether(this.keys.hashes(keys));
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return this.permissions.enter(() -> send(command));
	}

	private CompletableFuture<AcquireOutcome> send(AcquireCommand command) {
		List<LockKey> keys = command.keys();
		LockStoreException refused = this.plan.refusal(command.mode(), () -> redisNames(keys));
		if (refused != null) {
			return CompletableFuture.failedFuture(refused);
		}
		return run(this.acquirer, this.commands.acquire(command), (answer) -> {
			AcquireOutcome outcome = RedisAnswers.acquireOutcome(answer, command.permits(),
					(index) -> this.keys.name(keys.get(index)));
			if (!command.waiting().isZero() && outcome instanceof AcquireOutcome.Busy) {
				this.wakeUps.subscribe();
			}
			return outcome;
		});
	}

	@Override
	public List<CompletableFuture<Boolean>> renew(List<RenewCommand> commands) {
		int batch = this.plan.takesAllTogether() ? RENEWAL_BATCH : 1;
		List<CompletableFuture<Boolean>> answers = new ArrayList<>(commands.size());
		for (int from = 0; from < commands.size(); from += batch) {
			List<RenewCommand> together = commands.subList(from, Math.min(from + batch, commands.size()));
			answers.addAll(Futures.parts(renewTogetherIfPossible(together), together.size()));
		}
		return answers;
	}

	@Override
	public String nodeOf(LockKey key) {
		return nodeOf(this.keys.hash(key));
	}

	private String nodeOf(byte[] redisKey) {
		return (this.cluster != null) ? this.cluster.masterOf(redisKey) : "";
	}

	private CompletableFuture<List<Boolean>> renewTogetherIfPossible(List<RenewCommand> commands) {
		CompletableFuture<List<Boolean>> renewed = renewTogether(commands);
		return (commands.size() == 1) ? renewed : Futures.orElse(renewed, RedisFailures::isCrossSlot,
				() -> Futures.all(commands.stream().map((command) -> renewTogether(List.of(command))).toList()));
	}

	private CompletableFuture<List<Boolean>> renewTogether(List<RenewCommand> commands) {
		return run(this.commands.renew(commands), (answer) -> RedisAnswers.flags(answer, commands.size()));
	}

	@Override
	public CompletableFuture<Boolean> release(ReleaseCommand command) {
		return end(command.keys(),
				(some) -> run(this.commands.release(new ReleaseCommand(some, command.request(), command.marks())),
						RedisAnswers::flag),
				Boolean::logicalAnd);
	}

	@Override
	public CompletableFuture<Void> abandon(AbandonCommand command) {
		return end(command.keys(),
				(some) -> run(
						this.commands.abandon(
								new AbandonCommand(some, command.request(), command.successor(), command.waiting())),
						RedisAnswers::nothing),
				(one, other) -> one);
	}

	/** As {@link QuorumNode#raise}. */
	CompletableFuture<Boolean> raise(RaiseCommand command) {
		return run(this.commands.raise(command), RedisAnswers::flag);
	}

	/**
	 * All keys at once, or one by one where their slots differ, and while their slot is
	 * being moved and some have gone: these scripts end a request for each key alone.
	 */
	private <T> CompletableFuture<T> end(List<LockKey> keys, Function<List<LockKey>, CompletableFuture<T>> script,
			BinaryOperator<T> both) {
		Supplier<CompletableFuture<T>> oneByOne = () -> keys.stream()
			.map((key) -> script.apply(List.of(key)))
			.reduce((one, other) -> one.thenCombine(other, both))
			.orElseThrow();
		if (keys.size() > 1 && !takesTogether(keys)) {
			return oneByOne.get();
		}
		return (keys.size() == 1) ? script.apply(keys) : Futures.orElse(script.apply(keys),
				(failure) -> RedisFailures.isTryAgain(failure) || RedisFailures.isCrossSlot(failure), oneByOne);
	}

	private <T> CompletableFuture<T> run(ScriptCommand command, Function<Object, T> reader) {
		return run(this.runner, command, reader);
	}

	private <T> CompletableFuture<T> run(ScriptRunner runner, ScriptCommand command, Function<Object, T> reader) {
		CompletableFuture<Object> answer = send(runner, command);
		return Futures.translated(answer, (value) -> {
			if (!this.met) {
				this.met = true;
			}
			return reader.apply(value);
		}, (failure) -> {
			// Before anybody can ask what to do next.
			this.plan.failed(failure);
			return RedisFailures.translate(command.script().operation(), redisNames(command.locks()),
					setupOf(command.locks().get(0)), this.met, failure);
		});
	}

	private CompletableFuture<Object> send(ScriptRunner runner, ScriptCommand command) {
		CompletableFuture<Object> answer = runner.run(command.script(), command.keys(), command.args());
		ClusterNodes nodes = this.cluster;
		if (nodes != null) {
			answer.whenComplete((value, failure) -> nodes.answered(failure));
		}
		Supplier<ScriptCommand> lean = command.lean();
		if (lean != null) {
			answer = Futures.orElse(answer, RedisFailures::isTryAgain, () -> send(runner, lean.get()));
		}
		Supplier<ScriptCommand> general = command.general();
		return (general == null) ? answer : Futures.unless(answer, RedisAnswers::isSentOn, () -> {
			this.commands.sentOn(command);
			return send(runner, general.get());
		});
	}

	/** The same with the node that is concerned. */
	private RedisSetup setupOf(LockKey key) {
		String node = nodeOf(key);
		return node.isEmpty() ? this.setup : this.setup.at(node);
	}

	@Override
	public String place(LockKey key) {
		String server = setupOf(key).server();
		String failure = this.reconnects.failure(server);
		return "Redis" + (server.isEmpty() ? "" : " at " + server)
				+ ((failure != null) ? " (no connection to " + failure + ')' : "");
	}

	@Override
	public Duration commandTimeout() {
		return this.settings.commandTimeout();
	}

	@Override
	public void close() {
		this.closed = true;
		this.permissions.close();
		this.subscriptionProbes.close();
		this.reconnects.close();
		this.wakeUps.close();
		this.acquirer.close();
		this.runner.close();
		if (this.cluster != null) {
			this.cluster.close();
		}
		this.connections.close();
	}

	/** Open the connections of the store's own again. */
	@Override
	public void start() {
		this.connections.start();
	}

	/** Close the connections of the store's own; no lock can be reached then. */
	@Override
	public void stop() {
		this.connections.stop();
	}

	@Override
	public boolean isRunning() {
		return this.connections.isRunning();
	}

	private String redisNames(List<LockKey> keys) {
		return keys.stream().map(this.keys::name).collect(Collectors.joining(", "));
	}

}
