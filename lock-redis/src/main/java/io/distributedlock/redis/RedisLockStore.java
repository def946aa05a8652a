package io.distributedlock.redis;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
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
 * Lock store on Redis: one hash per lock, one script per operation, deadlines by the
 * server's clock. One command takes several locks if their keys share a hash slot; on a
 * single server, any locks. The store makes its own connections with the configuration of
 * the application, unless the settings share those of the application. Thread-safe.
 * <p>
 * As a bean it closes its connections when the context is stopped, and opens them when
 * the context is started again.
 * <p>
 * Fencing tokens follow the server's clock. They grow after a fail-over if the clocks of
 * the old and the new primary differ by less than the fail-over takes. They grow after
 * the loss of a key if the clock was not set back by more than the key was idle.
 * <p>
 * A command from the call to the answer:
 * <ul>
 * <li>Any thread may call, and does not wait for Redis. The exception is a caller that
 * has lent its thread to Jedis ({@code CallerThread}). The method creates a
 * {@code ScriptCommand}, the future of the result. An exclusive request for one lock
 * usually begins with a short script, others with the script for all modes.</li>
 * <li>An acquisition first waits for the {@code SelfCheck}, if a check was asked for and
 * none has passed since.</li>
 * <li>The {@code ScriptRunner} of the driver sends the script: Lettuce from the calling
 * thread, on one connection; other drivers on a few threads per node. With replica
 * acknowledgements, acquisitions have a runner and connections of their own.</li>
 * <li>Gathered on a single server: short scripts, as one {@code GatheredCall} while
 * others are under way (not with replica acknowledgements, nor on a quorum node); and up
 * to 350 renewals, by {@code RenewalAnswers}.</li>
 * <li>The answer arrives on an event loop, a driver's thread or a lent thread. A script
 * that cannot handle the lock is followed by the one for all modes, at last with the
 * sorted sets. Then the future completes on that thread, which must not block.</li>
 * <li>If one key causes a refusal, the keys are divided until only that key fails. Its
 * later commands go alone for a while.</li>
 * </ul>
 * The engine limits the time of a lock command and cancels its future, which withdraws a
 * command that was not sent. A driver may send a command twice, so every script is safe
 * to repeat.
 *
 * @since 0.1.0
 */
public sealed class RedisLockStore implements LockStore, Lifecycle, ApplicationContextAware permits RedisQuorumNode {

	private final RedisStoreSettings settings;

	private final Duration commandTimeout;

	private final LockConnections connections;

	private final RedisDriver driver;

	private final ScriptRunner runner;

	/**
	 * Runs acquisitions: a runner of its own only if replicas have to acknowledge them.
	 */
	private final ScriptRunner acquirer;

	private final @Nullable ClusterNodes cluster;

	private final LockServer server;

	private final SelfCheck selfCheck;

	private final BiFunction<AcquireCommand, Object, AcquireOutcome> reader = this::read;

	private final RedisWakeUps wakeUps;

	private final RedisInspection inspection;

	private volatile boolean started;

	private volatile @Nullable ApplicationContext context;

	/**
	 * Create a store.
	 * @param factory the connection factory of the application; neither changed nor
	 * closed
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
	 * Check on every primary that it can keep locks and that the Redis user may run all
	 * their commands. Harmless. From this call on, the store sends no acquisition before
	 * a check has passed. If this check fails, the next acquisition starts another one.
	 * If only permissions for wake-ups are missing, the check passes with a warning in
	 * the log, since waiters can poll.
	 * @return completes when nothing is missing; fails with a
	 * {@link MissingPermissionsException}, an {@link UnsuitableServerException}, or
	 * another {@link io.distributedlock.LockStoreException} if Redis cannot be asked
	 */
	public CompletableFuture<Void> checkPermissions() {
		return this.selfCheck.run();
	}

	/**
	 * Return whether Redis sends anything on a new connection that is opened without the
	 * driver. If it does while a check takes long, this process may be the slow one.
	 * Blocks for a few seconds at most.
	 * @return {@code true} if a single server sends anything; {@code false} with Sentinel
	 * or a cluster, where another server than that of the locks may answer
	 */
	public boolean isResponding() {
		return PortProbe.isResponding(this.driver.target());
	}

	/**
	 * The first check that finds nothing missing, including one that an acquisition
	 * started.
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
		// Without wake-ups the waiter would not learn of a claim, which would block the
		// lock.
		ScriptCommand<AcquireOutcome> call = ScriptCommand.acquire(this.server, command, this.wakeUps.heard,
				this.reader);
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
				return new AcquireOutcome.Busy(busy.holder(), busy.remaining(), busy.index(), false, false, 0,
						busy.ahead());
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

	/** Return the reason why a grant does not count, or {@code null} if it counts. */
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

	/** Raise tokens as {@link QuorumNode#raise} does. */
	CompletableFuture<Boolean> raised(RaiseCommand command) {
		return ScriptCommand.raise(this.server, command).send(this.runner);
	}

	/**
	 * Send a command for all keys as one script, or in parts. Each key is a part if the
	 * slots differ, or if their slot is being moved. Keys that were refused before are
	 * parts of their own. Parts are possible since these scripts treat each key alone.
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
	 * The server that keeps the locks, for messages: host and port, never a password.
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

	/**
	 * Return {@code true} for own connections, which outlive those of the application.
	 */
	@Override
	public boolean isIndependent() {
		return this.connections.own();
	}

	@Override
	public void setApplicationContext(ApplicationContext context) {
		this.context = context;
	}

	/** Start the store's own connections again. */
	@Override
	public void start() {
		this.connections.start();
	}

	/**
	 * Close the store's own connections, so that no lock can be reached. If the context
	 * closes for good, they stay until the store is closed.
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
