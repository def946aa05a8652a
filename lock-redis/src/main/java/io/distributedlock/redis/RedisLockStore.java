package io.distributedlock.redis;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BinaryOperator;
import java.util.function.Function;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.internal.driver.Acknowledgement;
import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ConfigurableApplicationContext;
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
public sealed class RedisLockStore implements LockStore, Lifecycle, ApplicationContextAware permits RedisQuorumNode {

	private final RedisStoreSettings settings;

	private final Duration commandTimeout;

	private final LockConnections connections;

	private final RedisDriver driver;

	private final ScriptRunner runner;

	/** For what has to be on replicas before it is handed out. */
	private final ScriptRunner acquirer;

	private final @Nullable ClusterNodes cluster;

	private final LockServer server;

	private final SelfCheck selfCheck;

	private final RedisWakeUps wakeUps;

	private final RedisInspection inspection;

	private volatile boolean started;

	private volatile @Nullable ApplicationContext context;

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
		this.commandTimeout = settings.commandTimeout();
		this.connections = connections;
		this.driver = connections.scripts();
		this.cluster = this.driver.isCluster() ? new ClusterNodes(this.driver.factory()) : null;
		this.wakeUps = new RedisWakeUps(connections.subscriptions(), settings.keyPrefix());
		this.runner = this.driver.scripts(this::nodeOf, this.wakeUps::resubscribe);
		this.acquirer = settings.replicaAcks().isWanted() ? acknowledged(this.driver, settings) : this.runner;
		RedisSetup located = setup.at(this.driver.target().place());
		this.server = new LockServer(new WireFormat(settings), located, this.cluster,
				this.acquirer == this.runner && setup.node() == null);
		this.inspection = new RedisInspection(this.server, this.runner, this.commandTimeout, this.cluster);
		this.selfCheck = new SelfCheck(this.driver, settings, located, this.runner, this.server);
	}

	private static ScriptRunner acknowledged(RedisDriver driver, RedisStoreSettings settings) {
		ReplicaAcks acks = settings.replicaAcks();
		return driver.acknowledged(new Acknowledgement(acks.count(), acks.timeout(), settings.commandTimeout(),
				WireFormat::isGrant, acks::missing));
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		if (!this.started) {
			this.runner.connect();
			if (this.cluster != null) {
				this.cluster.read();
			}
			this.started = true;
		}
		if (this.settings.wakeUpBySubscription()) {
			this.wakeUps.listen(instance, listener);
		}
	}

	@Override
	public void listen() {
		if (this.selfCheck.passed) {
			this.wakeUps.answered();
		}
		else {
			this.wakeUps.subscribe();
		}
	}

	/**
	 * Try on every primary, harmlessly, whether locks can be kept there and the Redis
	 * user may run what they need. From now on no lock is handed out before such a check
	 * has found nothing missing: where this one cannot tell, the next acquisition checks
	 * first. Where only the messages of wake-ups are not allowed, that is logged as a
	 * warning, since waiters can poll.
	 * @return completes when nothing is missing; fails with a
	 * {@link MissingPermissionsException}, an {@link UnsuitableServerException}, or with
	 * another {@link io.distributedlock.LockStoreException} where Redis cannot be asked
	 */
	public CompletableFuture<Void> checkPermissions() {
		return this.selfCheck.run();
	}

	/**
	 * Look whether Redis says anything to a connection that is opened without the driver
	 * and for this alone. Where it does, and a check takes long, this process may be the
	 * slow one. Blocks, at most for a few seconds.
	 * @return whether a server that is alone says anything; {@code false} with Sentinel
	 * or a cluster, where another one may answer than that of the locks
	 */
	public boolean isResponding() {
		return PortProbe.isResponding(this.driver.target());
	}

	/**
	 * The first check that finds nothing missing, also one that an acquisition made.
	 * @return completes with that check; never fails
	 */
	public CompletionStage<Void> permitted() {
		return this.selfCheck.permitted.minimalCompletionStage();
	}

	@Override
	public Set<StoreCapability> capabilities() {
		Set<StoreCapability> all = EnumSet.allOf(StoreCapability.class);
		if (!this.settings.wakeUpBySubscription()) {
			all.remove(StoreCapability.WAKE_UPS);
		}
		if (!this.settings.wakeUpBySubscription() || this.settings.replicaAcks().isWanted()) {
			all.remove(StoreCapability.CLAIMS);
		}
		if (!this.driver.runsOnCallers()) {
			all.remove(StoreCapability.CALLER_THREAD);
		}
		return all;
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return this.server.takesTogether(keys);
	}

	@Override
	public boolean isAnsweredBy(Thread thread) {
		return this.runner.isAnsweredBy(thread);
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		// A waiter that is not told of a claim would keep the lock from others.
		boolean heard = command.claim().isZero() || this.wakeUps.heard;
		ScriptCommand<AcquireOutcome> call = ScriptCommand.acquire(this.server,
				heard ? command : command.withoutClaim(), (answer) -> read(command, answer));
		if (this.selfCheck.passed) {
			return call.send(this.acquirer);
		}
		this.selfCheck.run().whenComplete((nothing, failure) -> {
			if (failure != null) {
				call.completeExceptionally(failure);
			}
			else {
				call.send(this.acquirer);
			}
		});
		return call;
	}

	private AcquireOutcome read(AcquireCommand command, Object answer) {
		AcquireOutcome outcome = this.server.format.outcome(command, answer);
		if (outcome instanceof AcquireOutcome.Busy busy && !command.waiting().isZero()) {
			this.wakeUps.answered();
			if (busy.next() && !(this.selfCheck.wakes && this.wakeUps.heard)) {
				return new AcquireOutcome.Busy(busy.holder(), busy.remaining(), busy.index());
			}
		}
		if (outcome instanceof AcquireOutcome.Granted) {
			LockStoreException objection = objection(command);
			if (objection != null) {
				throw objection;
			}
		}
		return outcome;
	}

	/** Why what was granted does not count. */
	@Nullable LockStoreException objection(AcquireCommand command) {
		return null;
	}

	@Override
	public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		return RenewalAnswers.send(this.server, this.runner, commands);
	}

	@Override
	public CompletableFuture<Ownership> extend(ExtendCommand command) {
		ScriptCommand<Ownership> call = ScriptCommand.extend(this.server, command);
		return (command.keys().size() == 1) ? call.send(this.runner)
				: end(command.keys(), call, (part) -> extend(command.of(part)), Ownership::and);
	}

	@Override
	public String nodeOf(LockKey key) {
		return (this.cluster != null) ? this.cluster.masterOf(this.server.format.hash(key)) : "";
	}

	private String nodeOf(byte[] redisKey) {
		return (this.cluster != null) ? this.cluster.masterOf(redisKey) : "";
	}

	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		ScriptCommand<Ownership> call = ScriptCommand.release(this.server, command);
		return (command.keys().size() == 1) ? call.send(this.runner) : end(command.keys(), call,
				(part) -> release(new ReleaseCommand(part, command.request(), command.marks())), Ownership::and);
	}

	@Override
	public CompletableFuture<Void> abandon(AbandonCommand command) {
		ScriptCommand<Void> call = ScriptCommand.abandon(this.server, command);
		return (command.keys().size() == 1) ? call.send(this.runner) : end(command.keys(), call,
				(part) -> abandon(new AbandonCommand(part, command.request(), command.successor(), command.waiting())),
				(one, other) -> one);
	}

	/** As {@link QuorumNode#raise}. */
	CompletableFuture<Boolean> raised(RaiseCommand command) {
		return ScriptCommand.raise(this.server, command).send(this.runner);
	}

	/**
	 * All keys at once, or one by one where their slots differ, and while their slot is
	 * being moved and some have gone. Those that are refused are apart from the others:
	 * these scripts end a request for each key alone.
	 */
	private <T> CompletableFuture<T> end(List<LockKey> keys, ScriptCommand<T> together,
			Function<List<LockKey>, CompletableFuture<T>> part, BinaryOperator<T> both) {
		Function<List<List<LockKey>>, CompletableFuture<T>> inParts = (
				parts) -> parts.stream().map(part).reduce((one, other) -> one.thenCombine(other, both)).orElseThrow();
		List<List<LockKey>> parts = this.server.parts(keys);
		return (parts.size() == 1) ? together.orInParts(inParts).send(this.runner) : inParts.apply(parts);
	}

	@Override
	public StoreMonitor monitor() {
		return this.inspection;
	}

	/**
	 * Where the locks are kept, for messages: host and port, never a password.
	 * @return a text such as {@code Redis at redis1:6379}
	 */
	public String place() {
		return this.server.place();
	}

	@Override
	public String place(LockKey key) {
		return this.server.place(key);
	}

	@Override
	public Duration commandTimeout() {
		return this.commandTimeout;
	}

	@Override
	public void close() {
		this.selfCheck.close();
		this.wakeUps.close();
		this.acquirer.close();
		this.runner.close();
		if (this.cluster != null) {
			this.cluster.close();
		}
		this.connections.close();
	}

	/** The connections of its own outlive those of the application. */
	@Override
	public boolean isIndependent() {
		return this.connections.own();
	}

	@Override
	public void setApplicationContext(ApplicationContext context) {
		this.context = context;
	}

	/** Open the connections of the store's own again. */
	@Override
	public void start() {
		this.connections.start();
	}

	/**
	 * Close the connections of the store's own; no lock can be reached then. Where the
	 * context closes for good they stay until the store is closed.
	 */
	@Override
	public void stop() {
		if (!(this.context instanceof ConfigurableApplicationContext own && own.isClosed())) {
			this.connections.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.connections.isRunning();
	}

}
