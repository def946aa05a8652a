package io.distributedlock.engine.internal.line;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.renewal.Renewals;
import io.distributedlock.engine.internal.report.InstanceNames;
import io.distributedlock.engine.internal.report.LockEvents;
import io.distributedlock.engine.internal.report.RecentLosses;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The queues of one instance by id, by key and by request, and the parts that they share.
 * It keeps the queues and calls none. Thread-safe.
 */
public final class QueueIndex {

	private static final AtomicIntegerFieldUpdater<QueueIndex> OTHER_COUNT = AtomicIntegerFieldUpdater
		.newUpdater(QueueIndex.class, "otherCount");

	private static final String ALL = "all";

	/**
	 * The kind of queues whose waiters share one waiter entry in the store.
	 */
	private static final String LINES = "lines";

	public final Instance instance;

	final LockEvents events;

	public final Renewals renewals;

	public final Reentrance reentrance;

	public final RecentLosses losses = new RecentLosses();

	public final InstanceNames names;

	public final HolderNames holders;

	final GrantIndex grants;

	/** All queues, by id. */
	public final ConcurrentHashMap<String, KeyQueue> all = new ConcurrentHashMap<>();

	/** The queues that are not the line for a single key, by key. */
	private final Index<KeyQueue> others = new Index<>();

	/** The signs of life of fair requests, by key. */
	private final ConcurrentHashMap<String, FairSigns<KeyQueue>> signs = new ConcurrentHashMap<>();

	/** Number of queues that are not the line for a single key. */
	volatile int otherCount;

	/** The other queues, by the request with which they contend. */
	private final ConcurrentHashMap<String, KeyQueue> requests = new ConcurrentHashMap<>();

	/** Called when waiters for keys may enter a held lock by now. */
	final Consumer<List<LockKey>> ownersChanged;

	/**
	 * Create an empty index.
	 * @param heldInLine returns the grant of the line for a single key
	 * @param ownersChanged called when waiters for keys may enter a held lock by now
	 */
	QueueIndex(Instance instance, LockEvents events, Function<String, @Nullable Grant> heldInLine,
			Consumer<List<LockKey>> ownersChanged) {
		this.ownersChanged = ownersChanged;
		this.instance = instance;
		this.events = events;
		this.renewals = new Renewals(instance, events);
		this.grants = new GrantIndex(heldInLine);
		this.reentrance = new Reentrance(instance.offer, this.grants);
		this.names = new InstanceNames(instance);
		this.holders = new HolderNames(instance, this.reentrance, events, this.names);
	}

	/** Return the line for a single key, if there is one. */
	@Nullable KeyQueue line(String encodedKey) {
		return this.all.get(encodedKey);
	}

	/** Add a queue that is not the line for a single key. */
	void addOther(List<LockKey> keys, String number, KeyQueue queue, boolean isLine) {
		OTHER_COUNT.incrementAndGet(this);
		this.others.add(keys, ALL, number, queue);
		if (isLine) {
			this.others.add(keys, LINES, number, queue);
		}
	}

	void removeOther(List<LockKey> keys, String number, KeyQueue queue) {
		this.others.remove(keys, ALL, number, queue);
		this.others.remove(keys, LINES, number, queue);
		OTHER_COUNT.decrementAndGet(this);
	}

	/** Return the signs of life for a key, which a fair queue shares with others. */
	FairSigns<KeyQueue> shareSigns(String encodedKey) {
		return Objects.requireNonNull(this.signs.compute(encodedKey, (key, known) -> {
			FairSigns<KeyQueue> shared = (known != null) ? known : new FairSigns<>();
			shared.queues++;
			return shared;
		}));
	}

	/** A fair queue shares the signs of life for a key no longer. */
	void leaveSigns(String encodedKey) {
		this.signs.computeIfPresent(encodedKey, (key, shared) -> (--shared.queues > 0) ? shared : null);
	}

	/** Return the number of keys for which fair requests give signs of life. */
	public int signs() {
		return this.signs.size();
	}

	/** A grant of another queue is going to be contended for. */
	void begins(Grant grant, KeyQueue queue) {
		this.requests.put(grant.request().toString(), queue);
	}

	/** A grant of another queue is not contended for any more. */
	void ends(Grant grant) {
		this.requests.remove(grant.request().toString());
	}

	/** Call an action for each queue to which a key belongs. */
	public void forEach(String encodedKey, Consumer<KeyQueue> action) {
		forEach(encodedKey, ALL, action);
	}

	/**
	 * Call an action for each queue to which a key belongs, and whose waiters share one
	 * waiter entry in the store.
	 */
	void forEachLine(String encodedKey, Consumer<KeyQueue> action) {
		forEach(encodedKey, LINES, action);
	}

	private void forEach(String encodedKey, String kind, Consumer<KeyQueue> action) {
		KeyQueue plain = this.all.get(encodedKey);
		if (plain != null) {
			action.accept(plain);
		}
		if (this.otherCount > 0) {
			this.others.of(encodedKey, kind).forEach(action);
		}
	}

	/** Call an action for the other queue that contends with a request, if one does. */
	public void contending(String request, Consumer<KeyQueue> action) {
		KeyQueue queue = this.requests.get(request);
		if (queue != null) {
			action.accept(queue);
		}
	}

	/**
	 * Call an action for the queue that contends with a request, or for each queue of the
	 * key: one of them may contend with it, or have dropped it.
	 */
	public void forContending(String encodedKey, String request, Consumer<KeyQueue> action) {
		KeyQueue queue = this.requests.get(request);
		if (queue != null) {
			action.accept(queue);
		}
		else {
			forEach(encodedKey, action);
		}
	}

	public Collection<KeyQueue> all() {
		return this.all.values();
	}

	public int size() {
		return this.all.size();
	}

}
