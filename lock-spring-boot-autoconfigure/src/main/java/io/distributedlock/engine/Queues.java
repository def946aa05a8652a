package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.distributedlock.LockMode;

/**
 * The queues of one instance. Who wants a lock exclusively waits in one line for each key
 * or set of keys, and so does who wants a permit. Readers and those who queue across
 * instances have a place of their own in the store, so each has a queue of its own, and
 * so has who tries only once to get a permit: it waits for nobody.
 */
final class Queues {

	private final Engine engine;

	private final ConcurrentHashMap<String, KeyQueue> all = new ConcurrentHashMap<>();

	/**
	 * Those that are not the line for a single key, by key and in an order that a
	 * simulation can repeat.
	 */
	private final ConcurrentSkipListMap<Place, KeyQueue> others = new ConcurrentSkipListMap<>();

	private final AtomicLong numbers = new AtomicLong();

	Queues(Engine engine) {
		this.engine = engine;
	}

	/** The queue that a waiter has to enter. */
	KeyQueue of(Waiter waiter) {
		return this.all.computeIfAbsent(id(waiter), (id) -> create(id, waiter.keys, waiter.terms.mode()));
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

	private KeyQueue create(String id, LockKeys keys, LockMode mode) {
		KeyQueue queue = new KeyQueue(this.engine, id, keys, mode);
		if (!isPlain(queue)) {
			keys.list().forEach((key) -> this.others.put(new Place(key.encoded(), id), queue));
		}
		return queue;
	}

	void remove(KeyQueue queue) {
		this.all.remove(queue.id(), queue);
		if (!isPlain(queue)) {
			queue.keys().list().forEach((key) -> this.others.remove(new Place(key.encoded(), queue.id()), queue));
		}
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
	List<KeyQueue> of(String encodedKey) {
		List<KeyQueue> queues = new ArrayList<>();
		forEach(encodedKey, queues::add);
		return queues;
	}

	void forEach(String encodedKey, Consumer<KeyQueue> action) {
		KeyQueue plain = this.all.get(encodedKey);
		if (plain != null) {
			action.accept(plain);
		}
		if (areAllPlain()) {
			return;
		}
		for (Map.Entry<Place, KeyQueue> entry : this.others.tailMap(new Place(encodedKey, "")).entrySet()) {
			if (!entry.getKey().key.equals(encodedKey)) {
				return;
			}
			action.accept(entry.getValue());
		}
	}

	Collection<KeyQueue> all() {
		return this.all.values();
	}

	int size() {
		return this.all.size();
	}

	/** Where a queue is found. */
	private record Place(String key, String id) implements Comparable<Place> {

		@Override
		public int compareTo(Place other) {
			int byKey = this.key.compareTo(other.key);
			return (byKey != 0) ? byKey : this.id.compareTo(other.id);
		}

	}

}
