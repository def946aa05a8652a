package io.distributedlock.engine.internal.line;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

import io.distributedlock.store.LockKey;

/**
 * A map from each key to any number of entries. Its order is fixed, so that a simulation
 * can repeat it. Thread-safe.
 */
final class Index<T> {

	private final ConcurrentSkipListMap<Place, T> entries = new ConcurrentSkipListMap<>();

	/**
	 * Add an entry for each key.
	 * @param kind entries of different kinds are found apart; a line feed is never part
	 * of an encoding
	 * @param id distinguishes the entries of one key and kind
	 */
	void add(List<LockKey> keys, String kind, String id, T entry) {
		keys.forEach((key) -> this.entries.put(new Place(key.encoded() + "\n" + kind, id), entry));
	}

	/** Remove an entry, unless another one has replaced it. */
	void remove(List<LockKey> keys, String kind, String id, T entry) {
		keys.forEach((key) -> this.entries.remove(new Place(key.encoded() + "\n" + kind, id), entry));
	}

	boolean isEmpty() {
		return this.entries.isEmpty();
	}

	/** Return a live view of the entries of a key and kind. */
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
