package io.distributedlock.interceptor.expression;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import io.distributedlock.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * Makes keys of what an expression yields for a call: one of a value, several of a
 * collection or array, and none of what cannot tell one lock from another.
 */
final class LockKeyCollector {

	/** Deeper than anybody nests, and less deep than the stack. */
	private static final int DEEPEST = 32;

	private final LockExpression expression;

	private final LockCallRoot root;

	private final List<String> keys;

	/**
	 * Create a collector.
	 * @param expression what yields the keys
	 * @param root the call
	 * @param keys where to add them
	 */
	LockKeyCollector(LockExpression expression, LockCallRoot root, List<String> keys) {
		this.expression = expression;
		this.root = root;
		this.keys = keys;
	}

	void collect() {
		Object value = this.expression.evaluateKey(this.root);
		int before = this.keys.size();
		try {
			add(value, 0);
		}
		catch (LockKeyException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw failure("failed: " + ex.getMessage(), ex);
		}
		if (this.keys.size() == before) {
			throw failure("yields an empty collection, so there is no key to lock", null);
		}
	}

	private void add(@Nullable Object value, int depth) {
		if (depth > DEEPEST) {
			throw failure("yields collections that are nested too deeply, or that contain themselves", null);
		}
		if (value instanceof Collection<?> several) {
			several.forEach((element) -> add(element, depth + 1));
		}
		else if (value != null && value.getClass().isArray()) {
			refuse(KeyTraps.problemOf(value.getClass()));
			for (Object element : ObjectUtils.toObjectArray(value)) {
				add(element, depth + 1);
			}
		}
		else if (isOptional(value)) {
			Object content = unwrapped(value);
			if (content == null) {
				throw failure("yields an empty Optional", null);
			}
			add(content, depth + 1);
		}
		else {
			this.keys.add(key(value));
		}
	}

	/** Their text is the same one for all that are empty. */
	private static boolean isOptional(@Nullable Object value) {
		return value instanceof Optional || value instanceof OptionalInt || value instanceof OptionalLong
				|| value instanceof OptionalDouble;
	}

	private static @Nullable Object unwrapped(@Nullable Object optional) {
		if (optional instanceof OptionalInt number) {
			return number.isPresent() ? number.getAsInt() : null;
		}
		if (optional instanceof OptionalLong number) {
			return number.isPresent() ? number.getAsLong() : null;
		}
		if (optional instanceof OptionalDouble number) {
			return number.isPresent() ? number.getAsDouble() : null;
		}
		return ObjectUtils.unwrapOptional(optional);
	}

	private String key(@Nullable Object value) {
		if (value == null) {
			throw failure("yields a null key", null);
		}
		refuse(KeyTraps.problemOfValue(value.getClass()));
		String key = value.toString();
		if (key == null || key.isBlank()) {
			throw failure("yields a blank key", null);
		}
		refuse(KeyTraps.problemOfText(key));
		return key;
	}

	private void refuse(@Nullable String problem) {
		if (problem != null) {
			throw failure(problem, null);
		}
	}

	private LockKeyException failure(String problem, @Nullable Throwable cause) {
		return this.expression.failure(this.root, problem, cause);
	}

}
