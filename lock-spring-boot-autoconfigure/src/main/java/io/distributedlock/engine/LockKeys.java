package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.distributedlock.LockException;
import io.distributedlock.LockRequest;
import io.distributedlock.store.LockKey;

/**
 * What one grant covers: a key, or several that the store takes together.
 *
 * @param list the keys, sorted where they are several
 * @param id what tells different sets apart; of a single key its encoding
 */
record LockKeys(List<LockKey> list, String id) {

	static LockKeys of(LockKey key) {
		return new LockKeys(List.of(key), key.encoded());
	}

	/** A line feed is never part of an encoding. */
	static LockKeys of(List<LockKey> keys) {
		return (keys.size() == 1) ? of(keys.get(0))
				: new LockKeys(keys, keys.stream().map(LockKey::encoded).collect(Collectors.joining("\n")));
	}

	/** Each key of a request for itself. */
	static List<LockKeys> separate(LockRequest request) {
		List<LockKeys> separate = new ArrayList<>(request.keys().size());
		request.keys().forEach((key) -> separate.add(of(new LockKey(request.name(), key))));
		return separate;
	}

	boolean isSingle() {
		return this.list.size() == 1;
	}

	String name() {
		return this.list.get(0).name();
	}

	/** The name and the keys for messages. */
	String describe() {
		return LockException.described(name(), text());
	}

	/** The keys as the caller wrote them. */
	String text() {
		return isSingle() ? this.list.get(0).key()
				: this.list.stream().map(LockKey::key).collect(Collectors.joining(", ", "[", "]"));
	}

	boolean contains(String encodedKey) {
		for (LockKey key : this.list) {
			if (key.encoded().equals(encodedKey)) {
				return true;
			}
		}
		return false;
	}

}
