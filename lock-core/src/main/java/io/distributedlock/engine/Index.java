package io.distributedlock.engine;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

import io.distributedlock.store.LockKey;

/**
 * What is found by a key without a search, any number of things by one, in an order that
 * a simulation can repeat. Thread-safe.
 */
final class Index<T> {

	private final ConcurrentSkipListMap<Place, T> entries = new ConcurrentSkipListMap<>();

	/**
	 * Add an entry for each key.
	 * @param kind apart from which others of a key are found; a line feed is never part
	 * of an encoding
	 * @param id what tells the entries of one key and kind apart
	 */
	void add(List<LockKey> keys, String kind, String id, T entry) {
		keys.forEach((key) -> this.entries.put(new Place(key.encoded() + "\n" + kind, id), entry));
	}

	/** Remove an entry, unless another one has taken its place. */
	void remove(List<LockKey> keys, String kind, String id, T entry) {
		keys.forEach((key) -> this.entries.remove(new Place(key.encoded() + "\n" + kind, id), entry));
	}

	boolean isEmpty() {
		return this.entries.isEmpty();
	}

	/** All entries of a key, as they come and go. */
	Collection<T> of(String encodedKey, String kind) {
		String text = encodedKey + "\n" + kind;
		return this.entries.subMap(new Place(text, ""), new Place(text + '\0', "")).values();
	}

	private record Place(String text, String id) implements Comparable<Place> {

		@Override
		public int compareTo(Place other) {
			int byText = this.text.compareTo(other.text);
			return (byText != 0) ? byText : this.id.compareTo(other.id);
		}

	}

}
