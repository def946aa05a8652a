package io.distributedlock.engine;

import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.distributedlock.LockMode;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The queues of one instance. Who wants a lock exclusively waits in one line for each key
 * or set of keys, and so does who wants a permit. Readers and those who queue across
 * instances have a place of their own in the store, so each has a queue of its own, and
 * so has who tries only once to get a permit: it waits for nobody.
 */
final class Queues {

	private final Engine engine;

	private final ConcurrentHashMap<String, KeyQueue> all = new ConcurrentHashMap<>();

	/** By key those that are not the line for a single key. */
	private final Index<KeyQueue> others = new Index<>();

	/** Those others whose waiters have no place of their own in the store. */
	private final Index<KeyQueue> lines = new Index<>();

	/** The others by the request that they contend with. */
	private final ConcurrentHashMap<String, KeyQueue> requests = new ConcurrentHashMap<>();

	/** What is held by way of the others. */
	private final Holds holds = new Holds();

	private final AtomicLong numbers = new AtomicLong();

	Queues(Engine engine) {
		this.engine = engine;
	}

	/** The queue that a waiter has to enter. */
	KeyQueue of(Waiter waiter) {
		return this.all.computeIfAbsent(id(waiter), (id) -> create(id, waiter));
	}

	/** A line feed is never part of an encoding, and stands only between two of a set. */
	private String id(Waiter waiter) {
		LockMode mode = waiter.terms.mode();
		if (mode == LockMode.EXCLUSIVE) {
			return waiter.keys.id();
		}
		if (mode == LockMode.SEMAPHORE && !waiter.once) {
			return "\n" + waiter.terms.permits() + "\n" + waiter.keys.id();
		}
		return "\n" + this.numbers.incrementAndGet();
	}

	private KeyQueue create(String id, Waiter waiter) {
		LockMode mode = waiter.terms.mode();
		KeyQueue queue = new KeyQueue(this.engine, id, waiter.keys, mode);
		if (!isPlain(queue)) {
			boolean line = mode == LockMode.EXCLUSIVE || (mode == LockMode.SEMAPHORE && !waiter.once);
			for (LockKey key : waiter.keys.list()) {
				this.others.add(key.encoded(), id, queue);
				if (line) {
					this.lines.add(key.encoded(), id, queue);
				}
			}
		}
		return queue;
	}

	void remove(KeyQueue queue) {
		this.all.remove(queue.id(), queue);
		if (!isPlain(queue)) {
			for (LockKey key : queue.keys().list()) {
				this.others.remove(key.encoded(), queue.id());
				this.lines.remove(key.encoded(), queue.id());
			}
		}
	}

	/** A grant is going to be contended for. */
	void begins(Grant grant) {
		if (!isPlain(grant.queue)) {
			this.requests.put(grant.request().toString(), grant.queue);
		}
	}

	/** A grant is not contended for any more. */
	void ends(Grant grant) {
		if (!isPlain(grant.queue)) {
			this.requests.remove(grant.request().toString());
		}
	}

	/** A grant holds the lock. Called before others can see it. */
	void holds(Grant grant) {
		ends(grant);
		if (!isPlain(grant.queue)) {
			this.holds.add(grant);
		}
	}

	/** A grant does not hold the lock any more. */
	void released(Grant grant) {
		if (!isPlain(grant.queue)) {
			this.holds.remove(grant);
		}
	}

	/** A grant is about to have no owner any more. */
	void disowned(Grant grant) {
		if (!isPlain(grant.queue)) {
			this.holds.removeHolder(grant);
		}
	}

	/** What is held by way of others than the lines of single keys. */
	Holds holds() {
		return this.holds;
	}

	/** What is held by way of the line for a single key. */
	@Nullable Grant heldInLine(String encodedKey) {
		KeyQueue plain = this.all.get(encodedKey);
		return (plain != null) ? plain.held() : null;
	}

	/** Whether it is the line for a single key. */
	static boolean isPlain(KeyQueue queue) {
		return queue.mode() == LockMode.EXCLUSIVE && queue.keys().isSingle();
	}

	/** Whether every queue is the only one of its only key. */
	boolean areAllPlain() {
		return this.others.isEmpty();
	}

	/** All queues that a key belongs to. */
	void forEach(String encodedKey, Consumer<KeyQueue> action) {
		forEach(encodedKey, this.others, action);
	}

	/** The queues of a key whose waiters have no place of their own in the store. */
	void forEachLine(String encodedKey, Consumer<KeyQueue> action) {
		forEach(encodedKey, this.lines, action);
	}

	private void forEach(String encodedKey, Index<KeyQueue> more, Consumer<KeyQueue> action) {
		KeyQueue plain = this.all.get(encodedKey);
		if (plain != null) {
			action.accept(plain);
		}
		if (!more.isEmpty()) {
			more.of(encodedKey).forEach(action);
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
