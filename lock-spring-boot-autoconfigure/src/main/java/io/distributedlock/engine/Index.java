package io.distributedlock.engine;

import java.util.Collection;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What is found by a text without a search, any number of things by one, in an order that
 * a simulation can repeat. Thread-safe.
 */
final class Index<T> {

	private final ConcurrentSkipListMap<Place, T> entries = new ConcurrentSkipListMap<>();

	/**
	 * Add an entry.
	 * @param id what tells the entries of one text apart
	 */
	void add(String text, String id, T entry) {
		this.entries.put(new Place(text, id), entry);
	}

	/** Remove an entry, unless another one has taken its place. */
	void remove(String text, String id, T entry) {
		this.entries.remove(new Place(text, id), entry);
	}

	boolean isEmpty() {
		return this.entries.isEmpty();
	}

	/** All entries of a text, as they come and go. */
	Collection<T> of(String text) {
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
