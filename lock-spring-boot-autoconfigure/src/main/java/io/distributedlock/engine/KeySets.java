package io.distributedlock.engine;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockRequest;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * What the queues of several keys share with each other and with those of one key: an
 * owner who has a lock enters it again, whichever of its keys are asked for together.
 */
final class KeySets {

	private final LockStore store;

	/** All queues, of one key and of several. */
	private final ConcurrentHashMap<String, KeyQueue> queues;

	/** Those of several keys, in an order that a simulation can repeat. */
	private final ConcurrentHashMap<String, KeyQueue> sets = new ConcurrentHashMap<>();

	/** Which grant of several keys a key belongs to, while that is held. */
	private final ConcurrentHashMap<String, Grant> parts = new ConcurrentHashMap<>();

	KeySets(LockStore store, ConcurrentHashMap<String, KeyQueue> queues) {
		this.store = store;
		this.queues = queues;
	}

	void add(KeyQueue queue) {
		if (!queue.keys().isSingle()) {
			this.sets.put(queue.keys().id(), queue);
		}
	}

	void remove(KeyQueue queue) {
		this.sets.remove(queue.keys().id(), queue);
	}

	boolean isEmpty() {
		return this.sets.isEmpty();
	}

	void holdBegins(Grant grant) {
		if (!grant.queue.keys().isSingle()) {
			grant.queue.keys().list().forEach((key) -> this.parts.put(key.encoded(), grant));
		}
	}

	void holdEnds(Grant grant) {
		if (!grant.queue.keys().isSingle()) {
			grant.queue.keys().list().forEach((key) -> this.parts.remove(key.encoded(), grant));
		}
	}

	void wakeUp(String encodedKey) {
		for (KeyQueue set : this.sets.values()) {
			if (set.keys().contains(encodedKey)) {
				set.wakeUp();
			}
		}
	}

	/**
	 * What a request asks the store for: all its keys at once if the store can do that,
	 * else one after the other. So it is too if the owner has some of them already, since
	 * those are entered again.
	 */
	List<LockKeys> split(LockRequest request) {
		List<LockKeys> separate = LockKeys.separate(request);
		if (separate.size() == 1) {
			return separate;
		}
		List<LockKey> keys = separate.stream().map((key) -> key.list().get(0)).toList();
		LockKeys together = LockKeys.of(keys);
		return (this.store.takesTogether(keys) && !holdsPart(request.owner(), together)) ? List.of(together) : separate;
	}

	private boolean holdsPart(@Nullable Object owner, LockKeys wanted) {
		if (owner == null) {
			return false;
		}
		for (LockKey key : wanted.list()) {
			Grant whole = this.parts.get(key.encoded());
			KeyQueue queue = this.queues.get(key.encoded());
			Grant held = (queue != null) ? queue.held() : null;
			if ((held != null && held.isOwnedBy(owner))
					|| (whole != null && whole.isOwnedBy(owner) && !whole.queue.keys().id().equals(wanted.id()))) {
				return true;
			}
		}
		return false;
	}

	/** The grant by which this instance has a key, alone or with others. */
	@Nullable Grant heldHere(LockKey key) {
		KeyQueue queue = this.queues.get(key.encoded());
		Grant held = (queue != null) ? queue.held() : null;
		return (held != null) ? held : this.parts.get(key.encoded());
	}

	/** Enter a lock of several keys, one of which is wanted, if the owner asks. */
	boolean enterPart(Waiter waiter) {
		Grant whole = whole(waiter);
		return whole != null && whole.queue.enterPart(waiter);
	}

	private @Nullable Grant whole(Waiter waiter) {
		return (waiter.owner != null && waiter.keys.isSingle()) ? this.parts.get(waiter.keys.id()) : null;
	}

	/** What an owner has may have changed while it was on its way to the queue. */
	void lookAgain(Waiter waiter, KeyQueue queue) {
		Grant whole = whole(waiter);
		if (whole != null) {
			queue.takeOut((other, effects) -> other == waiter && whole.queue.enterAgain(waiter, effects));
		}
		else if (!waiter.keys.isSingle()) {
			divide(waiter, queue);
		}
	}

	/** Let in whose owners equal that of a grant by now, under whatever set of keys. */
	void ownersChanged(Grant grant) {
		LockKeys held = grant.queue.keys();
		grant.queue.takeOut(grant.queue::enterAgain);
		for (LockKey key : held.list()) {
			KeyQueue queue = held.isSingle() ? null : this.queues.get(key.encoded());
			if (queue != null) {
				queue.takeOut(grant.queue::enterAgain);
			}
		}
		for (KeyQueue set : this.sets.values()) {
			if (set != grant.queue && held.list().stream().anyMatch((key) -> set.keys().contains(key.encoded()))) {
				set.waiting().forEach((waiter) -> divide(waiter, set));
			}
		}
	}

	/**
	 * Send away who waits for several keys and has some of them. Looks into other queues,
	 * so not under the monitor of one.
	 */
	private void divide(Waiter waiter, KeyQueue queue) {
		try {
			if (holdsPart(waiter.owner, waiter.keys) && queue.leave(waiter)) {
				waiter.settle(SetDividedException::new);
			}
		}
		catch (Throwable ex) {
			// The owner is an object of the user's, and cannot be compared.
			if (queue.leave(waiter)) {
				waiter.settle(Failure.of(ex));
			}
		}
	}

}
