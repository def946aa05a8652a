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
 * keys, and so do requests for a permit. Readers and fair requests have a place of their
 * own in the store, so each has a queue of its own; so has a single try to get a permit.
 */
final class Queues {

	private static final String ALL = "all";

	/** Those whose waiters have no place of their own in the store. */
	private static final String LINES = "lines";

	final Instance instance;

	final LockEvents events;

	final Renewals renewals;

	final Reentrance reentrance;

	final RecentLosses losses = new RecentLosses();

	final InstanceNames names;

	final HolderNames holders;

	private final ConcurrentHashMap<String, KeyQueue> all = new ConcurrentHashMap<>();

	/** By key those that are not the line for a single key. */
	private final Index<KeyQueue> others = new Index<>();

	private final AtomicInteger otherCount = new AtomicInteger();

	/** The others by the request that they contend with. */
	private final ConcurrentHashMap<String, KeyQueue> requests = new ConcurrentHashMap<>();

	/** What is held by way of the others. */
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
	 * Let a waiter into the queue of its keys, or into what its owner holds already. What
	 * goes wrong is told to the waiter, and nothing of it is left.
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
	 * Enter what the owner has already, or be refused because of it.
	 * @return whether the waiter has entered or was refused
	 */
	private boolean enterHeld(Waiter waiter) {
		if ((areAllPlain() && waiter.terms.mode() != LockMode.FAIR) || !Reentrance.mayHold(waiter)) {
			return false;
		}
		Grant held = this.reentrance.enterable(waiter);
		return held != null && held.queue.enterPart(waiter);
	}

	/** Let those waiters for keys in whose owners enter by now what others hold. */
	void ownersChanged(List<LockKey> keys) {
		for (LockKey key : keys) {
			forEach(key.encoded(), (queue) -> queue.waiting().forEach((waiter) -> enterAgain(queue, waiter)));
		}
	}

	/**
	 * Do what would be done with a waiter if it came now. Looks into other queues, so not
	 * under the monitor of one.
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

	/** A line feed is never part of an encoding, and stands only between two of a set. */
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

	/** The store has given a lock to a waiter. Called outside all monitors. */
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
	 * The store has given what others of this instance believe to have: it may have been
	 * taken from them without a message.
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

	/** An owner may read inside its own lock. */
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
	 * The store has this instance in line for a key once, whichever line waits for it
	 * here, and may have woken it, or taken it out, for one of them only. A waiter with a
	 * place of its own there keeps that.
	 * @param late whether the store may have freed the lock only now
	 */
	void wakeUpLines(GrantContext ended, boolean late) {
		if (late || !ended.isPlain() || !areAllPlain()) {
			ended.keys().forEach((key) -> forEach(key.encoded(), LINES, (queue) -> queue.wakeUp(null)));
		}
	}

	/** A grant is about to have no owner any more. */
	void disowned(Grant grant) {
		if (!grant.queue.isPlain()) {
			this.holds.removeHolder(grant);
		}
	}

	/** What is held by way of the line for a single key. */
	private @Nullable Grant heldInLine(String encodedKey) {
		KeyQueue plain = this.all.get(encodedKey);
		return (plain != null) ? plain.held() : null;
	}

	/** Whether every queue is the only one of its only key. */
	private boolean areAllPlain() {
		return this.otherCount.get() == 0;
	}

	/** All queues that a key belongs to. */
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

	/** The queue that contends with a request for a key, if any does. */
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
