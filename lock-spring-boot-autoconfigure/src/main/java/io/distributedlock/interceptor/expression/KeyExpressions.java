package io.distributedlock.interceptor.expression;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import io.distributedlock.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * The keys of a guarded method: expressions, or the method itself where there are none.
 * An expression yields one key by a value and several by a collection or an array. A
 * value that cannot tell one lock from another is refused.
 */
public final class KeyExpressions {

	/** Deeper than collections are nested on purpose, and less deep than the stack. */
	private static final int DEEPEST = 32;

	private final List<LockExpression> expressions;

	private final List<String> methodItself;

	/**
	 * Create keys.
	 * @param expressions the expressions, none for the method itself
	 * @param methodItself the key of a method without expressions
	 */
	public KeyExpressions(List<LockExpression> expressions, String methodItself) {
		this.expressions = List.copyOf(expressions);
		this.methodItself = List.of(methodItself);
	}

	/**
	 * Whether the method is locked as itself.
	 * @return {@code false} if it has expressions
	 */
	public boolean areMethodItself() {
		return this.expressions.isEmpty();
	}

	/**
	 * The expressions as they were written.
	 * @return none for the method itself
	 */
	public List<String> texts() {
		return this.expressions.stream().map(LockExpression::text).toList();
	}

	/**
	 * An expression that reads an argument.
	 * @param argument the index of the argument
	 * @return the text of the first such expression, or {@code null} if there is none
	 */
	public @Nullable String user(int argument) {
		for (LockExpression expression : this.expressions) {
			if (expression.uses(argument)) {
				return expression.text();
			}
		}
		return null;
	}

	/**
	 * The keys of a call.
	 * @param root the call
	 * @return at least one key
	 * @throws LockKeyException if a value cannot be a key
	 */
	public List<String> resolve(LockCallRoot root) {
		if (areMethodItself()) {
			return this.methodItself;
		}
		List<String> keys = new ArrayList<>(this.expressions.size());
		for (LockExpression expression : this.expressions) {
			resolve(expression, root, keys);
		}
		return keys;
	}

	private static void resolve(LockExpression expression, LockCallRoot root, List<String> keys) {
		Object value = expression.evaluateKey(root);
		int before = keys.size();
		try {
			add(value, expression, keys, 0);
		}
		catch (LockKeyException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw expression.failure("failed: " + ex.getMessage(), ex);
		}
		if (keys.size() == before) {
			throw expression.failure("yields an empty collection, so there is no key to lock", null);
		}
	}

	private static void add(@Nullable Object value, LockExpression expression, List<String> keys, int depth) {
		if (depth > DEEPEST) {
			throw expression.failure("yields collections that are nested too deeply, or that contain themselves", null);
		}
		if (value instanceof Collection<?> several) {
			several.forEach((element) -> add(element, expression, keys, depth + 1));
		}
		else if (value != null && value.getClass().isArray()) {
			refuse(KeyTraps.problemOf(value.getClass()), expression);
			for (Object element : ObjectUtils.toObjectArray(value)) {
				add(element, expression, keys, depth + 1);
			}
		}
		else if (value instanceof Optional<?> optional) {
			refuse(optional.isEmpty() ? "yields an empty Optional" : null, expression);
			add(optional.get(), expression, keys, depth + 1);
		}
		else {
			keys.add(key(value, expression));
		}
	}

	private static String key(@Nullable Object value, LockExpression expression) {
		if (value == null) {
			throw expression.failure("yields a null key", null);
		}
		if (!(value instanceof String)) {
			refuse(KeyTraps.problemOfValue(value.getClass()), expression);
		}
		String key = value.toString();
		if (key == null || key.isBlank()) {
			throw expression.failure("yields a blank key", null);
		}
		refuse(KeyTraps.problemOfText(key), expression);
		return key;
	}

	private static void refuse(@Nullable String problem, LockExpression expression) {
		if (problem != null) {
			throw expression.failure(problem, null);
		}
	}

}
