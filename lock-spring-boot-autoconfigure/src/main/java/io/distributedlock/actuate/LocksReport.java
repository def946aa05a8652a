package io.distributedlock.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.distributedlock.HeldLock;
import io.distributedlock.LockInspection;
import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LostLock;
import io.distributedlock.WaitingCaller;
import io.distributedlock.actuate.LocksDescriptor.Held;
import io.distributedlock.actuate.LocksDescriptor.Instance;
import io.distributedlock.actuate.LocksDescriptor.Lock;
import io.distributedlock.actuate.LocksDescriptor.Lost;
import io.distributedlock.actuate.LocksDescriptor.Node;
import io.distributedlock.actuate.LocksDescriptor.Origin;
import io.distributedlock.actuate.LocksDescriptor.Owner;
import io.distributedlock.actuate.LocksDescriptor.Renewal;
import io.distributedlock.actuate.LocksDescriptor.Waiting;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCall;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.StoreNode;
import org.jspecify.annotations.Nullable;

/**
 * Turns the state of registries and stores into the records of the endpoint.
 *
 * @param sources the registries
 * @param showKeys {@code false} to mask keys
 */
record LocksReport(List<LockSource> sources, boolean showKeys) {

	/** The mask of Spring Boot's own endpoints. */
	private static final String MASK = "******";

	List<Instance> instances() {
		return this.sources.stream()
			.map((source) -> new Instance(source.name(), source.inspector().instance(),
					source.inspector().instanceName(), source.inspector().checksCommits()))
			.toList();
	}

	List<Held> held(Predicate<String> name) {
		return this.sources.stream()
			.flatMap((source) -> source.inspector()
				.held()
				.stream()
				.filter((held) -> name.test(held.name()))
				.map((held) -> held(source, held)))
			.toList();
	}

	private Held held(LockSource source, HeldLock held) {
		return new Held(lock(source, held.name(), held.keys(), held.mode()), held.fencingToken(), held.age().toMillis(),
				held.remaining().toMillis(), new Renewal(held.renewals(), held.failedRenewals(), held.overdue()),
				new Owner(held.owner(), held.place(), origin(held)));
	}

	private static @Nullable Origin origin(HeldLock held) {
		return (held.origin() != null || held.leaked()) ? new Origin(held.origin(), held.leaked()) : null;
	}

	List<Waiting> waiting(Predicate<String> name) {
		return this.sources.stream()
			.flatMap((source) -> source.inspector()
				.waiting()
				.stream()
				.filter((waiting) -> name.test(waiting.name()))
				.map((waiting) -> waiting(source, waiting)))
			.toList();
	}

	private Waiting waiting(LockSource source, WaitingCaller caller) {
		Duration left = caller.left();
		String owner = caller.thread().isEmpty() ? "" : "thread '" + caller.thread() + "'";
		return new Waiting(lock(source, caller.name(), caller.keys(), caller.mode()), caller.waited().toMillis(),
				(left != null) ? left.toMillis() : null, new Owner(owner, caller.place(), null));
	}

	List<Lost> losses(Predicate<String> name) {
		return this.sources.stream()
			.flatMap((source) -> source.inspector()
				.recentLosses()
				.stream()
				.filter((lost) -> name.test(lost.name()))
				.map((lost) -> lost(source, lost)))
			.toList();
	}

	private Lost lost(LockSource source, LostLock lost) {
		return new Lost(lock(source, lost.name(), lost.keys(), lost.mode()), lost.fencingToken(),
				lost.reason().name().toLowerCase(Locale.ROOT), lost.reason().description(), lost.held().toMillis(),
				lost.ago().toMillis(), (lost.cause() != null) ? said(lost.cause()) : null);
	}

	/**
	 * Mask a message: it may name the keys of all locks that the same command renewed.
	 */
	private String said(LockStoreException cause) {
		return this.showKeys ? String.valueOf(cause.getMessage()) : text(cause.getKind());
	}

	private Lock lock(LockSource source, String name, List<String> keys, LockMode mode) {
		return new Lock(source.name(), name, this.showKeys ? keys : keys.stream().map((key) -> MASK).toList(),
				text(mode));
	}

	private static String text(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

	List<Node> nodes() {
		List<Node> all = new ArrayList<>();
		for (LockSource source : this.sources) {
			nodes(source.store()).forEach((node) -> all.add(node(source, node)));
		}
		return all;
	}

	/**
	 * Return the servers of a store. A store that does not answer in time counts as one
	 * failed server.
	 */
	static List<StoreNode> nodes(LockStore store) {
		StoreMonitor monitor = store.monitor();
		if (monitor == null) {
			return List.of();
		}
		long millis = 2 * store.commandTimeout().toMillis();
		return StoreCall.send(monitor::nodes)
			.orTimeout(millis, TimeUnit.MILLISECONDS)
			.exceptionally((failure) -> List.of(silent(store, millis, failure)))
			.join();
	}

	private static StoreNode silent(LockStore store, long millis, Throwable failure) {
		String said = (failure instanceof TimeoutException) ? "no answer within %d ms".formatted(millis)
				: failure.toString();
		return StoreNode.failed(store.getClass().getName(), new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
				"Cannot ask the store about its servers: " + said, failure));
	}

	private static Node node(LockSource source, StoreNode node) {
		Duration took = node.answeredIn();
		return new Node(source.name(), node.name(), (took != null) ? millis(took) : null, node.evictionPolicy(),
				(node.failure() != null) ? node.failure().getMessage() : null);
	}

	static double millis(Duration time) {
		return Math.round(time.toNanos() / 1e4) / 1e2;
	}

	static LockDescriptor.Stored stored(LockInspection seen) {
		Stream<LockDescriptor.Holder> holders = seen.holders()
			.stream()
			.map((holder) -> new LockDescriptor.Holder(holder.request(), holder.instance(), holder.instanceName(),
					holder.fencingToken(), holder.remaining().toMillis(), holder.permits()));
		return new LockDescriptor.Stored(seen.isLocked(), text(seen.mode()), holders.toList(), seen.waiting(),
				new LockDescriptor.Permits(seen.permits(), seen.freePermits()),
				new LockDescriptor.More(seen.holderCount(), seen.keptFor().toMillis(), seen.silentNodes()));
	}

}
