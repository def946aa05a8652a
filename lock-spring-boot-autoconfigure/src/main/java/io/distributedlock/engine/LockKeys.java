package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.distributedlock.LockException;
import io.distributedlock.LockRequest;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/** What one grant covers: a key, or several that the store takes together. */
final class LockKeys {

	private final LockKey first;

	/** Sorted; {@code null} for a single key, whose list is made when it is wanted. */
	private final @Nullable List<LockKey> several;

	private final String id;

	private LockKeys(LockKey first, @Nullable List<LockKey> several, String id) {
		this.first = first;
		this.several = several;
		this.id = id;
	}

	static LockKeys of(LockKey key) {
		return new LockKeys(key, null, key.encoded());
	}

	/** A line feed is never part of an encoding. */
	static LockKeys of(List<LockKey> keys) {
		return (keys.size() == 1) ? of(keys.get(0)) : new LockKeys(keys.get(0), keys,
				keys.stream().map(LockKey::encoded).collect(Collectors.joining("\n")));
	}

	/** The only key of a request. */
	static LockKeys only(LockRequest request) {
		return of(new LockKey(request.name(), request.keys().get(0)));
	}

	/** Each key of a request for itself. */
	static List<LockKeys> separate(LockRequest request) {
		List<LockKeys> separate = new ArrayList<>(request.keys().size());
		request.keys().forEach((key) -> separate.add(of(new LockKey(request.name(), key))));
		return separate;
	}

	LockKey first() {
		return this.first;
	}

	/** The keys, sorted where they are several. */
	List<LockKey> list() {
		return (this.several != null) ? this.several : List.of(this.first);
	}

	/** What tells different sets apart; the encoding of a single key. */
	String id() {
		return this.id;
	}

	boolean isSingle() {
		return this.several == null;
	}

	String name() {
		return this.first.name();
	}

	/** The name and the keys for messages. */
	String describe() {
		return LockException.described(name(), text());
	}

	/** The keys as the caller wrote them. */
	String text() {
		return isSingle() ? this.first.key()
				: list().stream().map(LockKey::key).collect(Collectors.joining(", ", "[", "]"));
	}

}
