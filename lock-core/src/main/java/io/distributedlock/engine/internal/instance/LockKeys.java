package io.distributedlock.engine.internal.instance;

import java.util.List;
import java.util.stream.Collectors;

import io.distributedlock.LockRequest;
import io.distributedlock.store.LockKey;
import io.distributedlock.text.DisplayText;

/**
 * The keys of one acquisition: a single one, or several that the store takes together,
 * which are sorted.
 */
public final class LockKeys {

	private LockKeys() {
	}

	public static List<LockKey> of(LockRequest request) {
		List<String> keys = request.keys();
		return (keys.size() == 1) ? List.of(new LockKey(request.name(), keys.get(0)))
				: keys.stream().map((key) -> new LockKey(request.name(), key)).toList();
	}

	public static LockKey of(String name, String key) {
		LockRequest request = LockRequest.of(name, key);
		return new LockKey(request.name(), request.keys().get(0));
	}

	/**
	 * Return the identity of a set of keys; of a single key it is the encoding. A line
	 * feed separates the encodings, since it is never part of one.
	 */
	public static String id(List<LockKey> keys) {
		return (keys.size() == 1) ? keys.get(0).encoded()
				: keys.stream().map(LockKey::encoded).collect(Collectors.joining("\n"));
	}

	/** The name and the keys for messages. */
	public static String describe(List<LockKey> keys) {
		return DisplayText.lock(keys.get(0).name(), text(keys)).toString();
	}

	/** The keys as the caller wrote them. */
	public static String text(List<LockKey> keys) {
		return (keys.size() == 1) ? keys.get(0).key()
				: keys.stream().map(LockKey::key).collect(Collectors.joining(", ", "[", "]"));
	}

}
