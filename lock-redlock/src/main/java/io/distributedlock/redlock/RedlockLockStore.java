package io.distributedlock.redlock;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockInspection;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.StoreNode;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks on a majority of independent nodes, so that a minority of them may fail.
 * Follows the algorithm of Redis' page "Distributed Locks with Redis" (Redlock). In
 * addition, tokens are written back to a majority, so that they grow from holder to
 * holder. Readers do so in the algorithm of Attiya, Bar-Noy and Dolev ("Sharing Memory
 * Robustly in Message-Passing Systems"). Thread-safe.
 * <p>
 * There is one holder at a time, and tokens grow, under three conditions. A majority is
 * up, no node forgets, and clocks run alike within a percent and are not set. Otherwise
 * two holders are possible, and the tokens decide between them.
 *
 * @since 0.1.0
 */
public final class RedlockLockStore implements LockStore, StoreMonitor {

	/** The smallest number of nodes: of two, none may fail. */
	public static final int FEWEST_NODES = 3;

	/** The largest number of nodes. */
	public static final int MOST_NODES = 63;

	private final Quorum quorum;

	private final LongUnaryOperator random;

	private final boolean independent;

	/**
	 * Listeners of the nodes by the listener of their registry. A second start passes the
	 * same ones, because nodes distinguish registries by them.
	 */
	private final Map<WakeUpListener, List<WakeUpListener>> listeners = new ConcurrentHashMap<>();

	/**
	 * Create a store.
	 * @param nodes the nodes, closed with the store; the same ones on all instances
	 * @param settings the settings
	 * @throws IllegalArgumentException if the number of nodes is even, or less than
	 * {@value #FEWEST_NODES} or more than {@value #MOST_NODES}
	 */
	public RedlockLockStore(List<? extends QuorumNode> nodes, RedlockSettings settings) {
		this(nodes, settings, new QuorumTimer(), (bound) -> ThreadLocalRandom.current().nextLong(bound));
	}

	RedlockLockStore(List<? extends QuorumNode> nodes, RedlockSettings settings, QuorumTimer timer,
			LongUnaryOperator random) {
		requireQuorum(nodes.size());
		Duration patience = nodes.stream().map(LockStore::commandTimeout).max(Duration::compareTo).orElseThrow();
		this.random = random;
		this.independent = nodes.stream().allMatch(LockStore::isIndependent);
		this.quorum = new Quorum(nodes.stream().map((node) -> new Member(node, timer)).toList(), settings, patience,
				timer, new HeldRequests(), new SplitVotes(random));
	}

	/**
	 * Check that this number of nodes can be a quorum.
	 * @param nodes the number of nodes
	 * @throws IllegalArgumentException if the number is even, or less than
	 * {@value #FEWEST_NODES} or more than {@value #MOST_NODES}
	 */
	public static void requireQuorum(int nodes) {
		if (nodes < FEWEST_NODES || nodes > MOST_NODES || nodes % 2 == 0) {
			throw new IllegalArgumentException(
					"a quorum takes an odd number of nodes from %d to %d, since of an even one no more may fail than of one less, but there are %d"
						.formatted(FEWEST_NODES, MOST_NODES, nodes));
		}
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		List<WakeUpListener> ofNodes = this.listeners.computeIfAbsent(listener, this::listenersOfNodes);
		for (int i = 0; i < ofNodes.size(); i++) {
			this.quorum.members().get(i).node.start(instance, ofNodes.get(i));
		}
	}

	@Override
	public void listen() {
		this.quorum.members().forEach((member) -> member.node.listen());
	}

	private List<WakeUpListener> listenersOfNodes(WakeUpListener listener) {
		QuorumWakeUps wakeUps = new QuorumWakeUps(this.quorum.majority(), listener, this.quorum.timer(), this.random);
		return IntStream.range(0, this.quorum.size()).mapToObj(wakeUps::of).toList();
	}

	/**
	 * Return the capabilities that all nodes have, except six.
	 * {@link StoreCapability#FAIR}: the lines of the nodes may be in different orders.
	 * {@link StoreCapability#CLAIMS}: each node might give the lock to another waiter.
	 * {@link StoreCapability#HANDLES}: only the holder knows how many nodes have to
	 * confirm its lease, and which nodes take it again.
	 * {@link StoreCapability#LOCK_DELAY}: a node that restarts empty is left out for the
	 * longest lease, not for a delay after that. {@link StoreCapability#SEVERAL_PERMITS}:
	 * the number of nodes that a permit needs is proven for one permit a request, and for
	 * one number of permits. {@link StoreCapability#CALLER_THREAD}: the caller waits for
	 * all nodes at once.
	 */
	@Override
	public Set<StoreCapability> capabilities() {
		Set<StoreCapability> common = EnumSet
			.complementOf(EnumSet.of(StoreCapability.CALLER_THREAD, StoreCapability.FAIR, StoreCapability.CLAIMS,
					StoreCapability.HANDLES, StoreCapability.LOCK_DELAY, StoreCapability.SEVERAL_PERMITS));
		this.quorum.members().forEach((member) -> common.retainAll(member.node.capabilities()));
		return common;
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return this.quorum.members().stream().allMatch((member) -> member.node.takesTogether(keys));
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return new QuorumAcquisition(this.quorum, command.withoutClaim()).start();
	}

	@Override
	public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		return QuorumRenewal.send(this.quorum, commands);
	}

	@Override
	public CompletableFuture<Ownership> extend(ExtendCommand command) {
		return QuorumExtension.send(this.quorum, command);
	}

	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		return new QuorumRelease(this.quorum, command).start();
	}

	/** Return this store, if all nodes have a monitor. */
	@Override
	public @Nullable StoreMonitor monitor() {
		return this.quorum.members().stream().allMatch((member) -> member.node.monitor() != null) ? this : null;
	}

	@Override
	public CompletableFuture<LockInspection> inspect(LockKey key) {
		return new QuorumInspection(this.quorum, key, "inspect").start();
	}

	/**
	 * Takes the lock away on every node that can be reached. Fails if these are no
	 * majority: it is then unknown whether the lock is free. Takes it from all only on
	 * nodes that named their holders in time; the other nodes get the named requests.
	 */
	@Override
	public CompletableFuture<Integer> forceRelease(ForceReleaseCommand command) {
		return new QuorumForcedRelease(this.quorum, command).start();
	}

	@Override
	public CompletableFuture<?> announce(String instance, String name, Duration lifetime) {
		List<CompletableFuture<?>> noted = this.quorum.members()
			.stream()
			.<CompletableFuture<?>>map((member) -> member.monitored(
					(monitor) -> monitor.announce(instance, name, lifetime).<Object>thenApply((answer) -> answer)))
			.toList();
		return CompletableFuture.allOf(noted.toArray(CompletableFuture<?>[]::new));
	}

	@Override
	public CompletableFuture<String> nameOf(String instance) {
		return this.quorum.members()
			.stream()
			.map((member) -> member.monitored((monitor) -> monitor.nameOf(instance)).exceptionally((failure) -> ""))
			.reduce((one, other) -> one.thenCombine(other, (name, same) -> name.isEmpty() ? same : name))
			.orElseThrow();
	}

	@Override
	public CompletableFuture<List<StoreNode>> nodes() {
		return this.quorum.members()
			.stream()
			.map(Member::servers)
			.reduce((one, other) -> one.thenCombine(other,
					(nodes, more) -> Stream.concat(nodes.stream(), more.stream()).toList()))
			.orElseThrow();
	}

	/** Return whether a majority of the nodes answers. */
	@Override
	public boolean worksWith(List<StoreNode> nodes) {
		return nodes.stream().filter((node) -> node.failure() == null).count() >= this.quorum.majority();
	}

	@Override
	public CompletableFuture<Void> abandon(AbandonCommand command) {
		return new QuorumAbandonment(this.quorum, command).start();
	}

	@Override
	public boolean isIndependent() {
		return this.independent;
	}

	/**
	 * Return the longest time-out of the nodes, with some time to name the silent ones.
	 */
	@Override
	public Duration commandTimeout() {
		return this.quorum.patience().plus(this.quorum.settings().timeout());
	}

	@Override
	public Map<String, Duration> sinceLastAnswer() {
		return this.quorum.members()
			.stream()
			.collect(Collectors.toMap((member) -> member.node.name(), Member::sinceLastAnswer, (one, other) -> one));
	}

	@Override
	public void close() {
		this.quorum.timer().close();
		this.quorum.members().forEach((member) -> member.node.close());
	}

	/** For tests: the number of granted requests that have not ended. */
	int heldCount() {
		return this.quorum.held().size();
	}

}
