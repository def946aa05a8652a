package io.distributedlock.engine;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.distributedlock.LockMode;
import io.distributedlock.LockOwner;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The queues of one instance. Exclusive requests wait in one line for each key or set of
 * keys, and so do requests for a permit. Readers and fair requests have waiter entries of
 * their own in the store, so each has a queue of its own. A single try to get a permit
 * has one as well.
 */
final class Queues {

	private static final String ALL = "all";

	/**
	 * The kind of queues whose waiters have no waiter entry of their own in the store.
	 */
	private static final String LINES = "lines";

	final Instance instance;

	final LockEvents events;

	final Renewals renewals;

	final Reentrance reentrance;

	final RecentLosses losses = new RecentLosses();

	final InstanceNames names;

	final HolderNames holders;

	private final ConcurrentHashMap<String, KeyQueue> all = new ConcurrentHashMap<>();

	/** The queues that are not the line for a single key, by key. */
	private final Index<KeyQueue> others = new Index<>();

	private final AtomicInteger otherCount = new AtomicInteger();

	/** The other queues, by the request with which they contend. */
	private final ConcurrentHashMap<String, KeyQueue> requests = new ConcurrentHashMap<>();

	/** The grants of the other queues. */
	private final Holds holds = new Holds();

	private final AtomicLong numbers = new AtomicLong();

	Queues(Instance instance, LockEvents events) {
		this.instance = instance;
		this.events = events;
		this.renewals = new Renewals(instance, events);
		this.reentrance = new Reentrance(instance.offer, this.renewals, this.holds, this::heldInLine);
		this.names = new InstanceNames(instance);
		this.holders = new HolderNames(instance, this.reentrance, events, this.names);
	}

	/**
	 * Let a waiter into the queue of its keys, or into a lock that its owner has already.
	 * A failure leaves nothing of the waiter behind.
	 */
	void enter(Waiter waiter) {
		try {
			boolean entered = enterHeld(waiter);
			while (!entered) {
				KeyQueue queue = of(waiter);
				entered = queue.enter(waiter);
				if (entered && !areAllPlain()) {
					enterAgain(queue, waiter);
				}
			}
		}
		catch (Throwable ex) {
			waiter.dismiss(Failure.of(ex));
		}
	}

	/**
	 * Let a waiter enter a lock that its owner has already, or refuse it because of that.
	 * @return {@code true} if the waiter has entered or was refused
	 */
	private boolean enterHeld(Waiter waiter) {
		if ((areAllPlain() && waiter.terms.mode() != LockMode.FAIR) || !Reentrance.mayHold(waiter)) {
			return false;
		}
		Grant held = this.reentrance.enterable(waiter);
		return held != null && held.queue.enterPart(waiter);
	}

	/** Let waiters for the keys enter a held lock if their owners may do so by now. */
	void ownersChanged(List<LockKey> keys) {
		for (LockKey key : keys) {
			forEach(key.encoded(), (queue) -> queue.waiting().forEach((waiter) -> enterAgain(queue, waiter)));
		}
	}

	/**
	 * Treat a waiter as if it came now. Looks into other queues, so not under the monitor
	 * of one.
	 */
	private void enterAgain(KeyQueue queue, Waiter waiter) {
		if (!(waiter.owner instanceof LockOwner owner) || !Reentrance.mayHold(waiter)) {
			return;
		}
		try {
			Grant held = this.reentrance.enterable(waiter);
			if (held != null && queue.leave(waiter) && !held.queue.enterPart(waiter)) {
				enter(waiter);
			}
			else if (held == null && this.reentrance.dividesSet(waiter) && queue.leave(waiter)) {
				waiter.settle(SetDividedException::new);
			}
			else if (held == null && waiter.terms.mode() == LockMode.READ
					&& this.reentrance.beside(waiter.keys, owner) != null) {
				queue.wakeUp(null);
			}
		}
		catch (Throwable ex) {
			// The owner reads and cannot write, or cannot be compared.
			if (queue.leave(waiter)) {
				waiter.settle(Failure.of(ex));
			}
		}
	}

	/** The queue that a waiter has to enter. */
	private KeyQueue of(Waiter waiter) {
		String id = id(waiter);
		KeyQueue known = this.all.get(id);
		return (known != null) ? known : this.all.computeIfAbsent(id, (missing) -> create(missing, waiter));
	}

	/**
	 * Return the id of a queue. An encoded key has no line feed; a set has one only
	 * between two keys.
	 */
	private String id(Waiter waiter) {
		LockMode mode = waiter.terms.mode();
		if (mode == LockMode.EXCLUSIVE) {
			return (waiter.keys.size() == 1) ? waiter.keys.get(0).encoded() : LockKeys.id(waiter.keys);
		}
		if (mode == LockMode.SEMAPHORE && !waiter.isOnce()) {
			return "\n" + waiter.terms.permits() + "\n" + LockKeys.id(waiter.keys);
		}
		return "\n" + this.numbers.incrementAndGet();
	}

	private KeyQueue create(String id, Waiter waiter) {
		LockMode mode = waiter.terms.mode();
		if (mode == LockMode.EXCLUSIVE && waiter.keys.size() == 1) {
			return new KeyQueue(this, waiter.keys.get(0));
		}
		OtherQueue queue = new OtherQueue(this, id, this.numbers.incrementAndGet(), waiter.keys, mode);
		this.otherCount.incrementAndGet();
		this.others.add(waiter.keys, ALL, queue.number, queue);
		if (mode == LockMode.EXCLUSIVE || (mode == LockMode.SEMAPHORE && !waiter.isOnce())) {
			this.others.add(waiter.keys, LINES, queue.number, queue);
		}
		return queue;
	}

	void remove(KeyQueue queue) {
		this.all.remove(queue.id(), queue);
		if (queue instanceof OtherQueue other) {
			this.others.remove(other.keys(), ALL, other.number, other);
			this.others.remove(other.keys(), LINES, other.number, other);
			this.otherCount.decrementAndGet();
		}
	}

	/** A grant is going to be contended for. */
	void begins(Grant grant, KeyQueue queue) {
		if (!grant.queue.isPlain()) {
			this.requests.put(grant.request().toString(), queue);
		}
	}

	/** A grant is not contended for any more. */
	void ends(Grant grant) {
		if (!grant.queue.isPlain()) {
			this.requests.remove(grant.request().toString());
		}
	}

	/** A grant holds the lock. Called before others can see it. */
	void holds(Grant grant) {
		this.instance.sawToken(grant.token());
		this.instance.holdBegins();
		ends(grant);
		if (!grant.queue.isPlain()) {
			this.holds.add(grant);
		}
	}

	/**
	 * A waiter has got a lock, from the store or by a hand-off. Called outside all
	 * monitors.
	 */
	void granted(GrantLease lease, Waiter waiter, long renewableFrom, AcquiredFrom from) {
		lease.grant().scheduleRenewal(renewableFrom);
		if (from != AcquiredFrom.THIS_INSTANCE && !areAllPlain()) {
			askExcluded(lease.grant());
		}
		waiter.take(lease);
		if (from != AcquiredFrom.STORE) {
			this.instance.counters.handOffs(from).increment();
		}
		if (this.events.listening) {
			this.events.acquired(lease.grant(), waiter, from);
		}
	}

	/**
	 * Have the store confirm grants that exclude a new one: it may have ended them
	 * without a message.
	 */
	private void askExcluded(Grant granted) {
		for (LockKey key : granted.keys()) {
			askExcluded(heldInLine(key.encoded()), granted);
			this.holds.exclusive(key.encoded()).forEach((other) -> askExcluded(other, granted));
			if (granted.mode().isExclusive()) {
				this.holds.shared(key.encoded()).forEach((other) -> askExcluded(other, granted));
			}
		}
	}

	/** Have another grant confirmed, unless its owner reads inside its own lock. */
	private void askExcluded(@Nullable Grant other, Grant granted) {
		if (other == null || other == granted) {
			return;
		}
		boolean ofOneOwner = granted.owner() != null && granted.owner() == other.owner();
		long now = this.instance.now();
		if (!ofOneOwner && other.isHeld(now)) {
			other.ask(now);
		}
	}

	/** A grant does not hold the lock any more. */
	void released(Grant grant) {
		if (!grant.queue.isPlain()) {
			this.holds.remove(grant);
		}
		this.instance.holdEnds();
		if (grant.mode().isExclusive()) {
			wakeUpLines(grant.queue, false);
		}
	}

	/**
	 * Wake up the lines for the keys of an ended grant. The store keeps one waiter entry
	 * of this instance for a key, and may have woken or removed it for one line only. A
	 * waiter with an entry of its own keeps that.
	 * @param late {@code true} if the store may have freed the lock only now
	 */
	void wakeUpLines(GrantContext ended, boolean late) {
		if (late || !ended.isPlain() || !areAllPlain()) {
			ended.keys().forEach((key) -> forEach(key.encoded(), LINES, (queue) -> queue.wakeUp(null)));
		}
	}

	/** The owner of a grant is about to be forgotten. */
	void disowned(Grant grant) {
		if (!grant.queue.isPlain()) {
			this.holds.removeHolder(grant);
		}
	}

	/** Return the grant of the line for a single key. */
	private @Nullable Grant heldInLine(String encodedKey) {
		KeyQueue plain = this.all.get(encodedKey);
		return (plain != null) ? plain.held() : null;
	}

	/** Return whether every queue is the line of a single key. */
	private boolean areAllPlain() {
		return this.otherCount.get() == 0;
	}

	/** Call an action for each queue to which a key belongs. */
	void forEach(String encodedKey, Consumer<KeyQueue> action) {
		forEach(encodedKey, ALL, action);
	}

	private void forEach(String encodedKey, String kind, Consumer<KeyQueue> action) {
		KeyQueue plain = this.all.get(encodedKey);
		if (plain != null) {
			action.accept(plain);
		}
		if (!areAllPlain()) {
			this.others.of(encodedKey, kind).forEach(action);
		}
	}

	/** Return the queue that contends for a key with a request, if any does. */
	@Nullable KeyQueue contending(String encodedKey, String request) {
		KeyQueue queue = this.requests.get(request);
		return (queue != null) ? queue : this.all.get(encodedKey);
	}

	Collection<KeyQueue> all() {
		return this.all.values();
	}

	int size() {
		return this.all.size();
	}

}
