package io.distributedlock.interceptor.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The keys of a guarded method: expressions, or the method itself where there are none.
 */
public final class KeyExpressions {

	private final List<LockExpression> expressions;

	private final List<String> methodItself;

	/**
	 * Create keys.
	 * @param expressions what yields them
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
	 * The keys that are the same ones for every call.
	 * @return those that no argument changes
	 */
	public List<String> literals() {
		if (areMethodItself()) {
			return this.methodItself;
		}
		return this.expressions.stream().map(LockExpression::literal).filter(Objects::nonNull).toList();
	}

	/**
	 * The keys of a call.
	 * @param root the call
	 * @return at least one key
	 * @throws io.distributedlock.LockKeyException if a value cannot be a key
	 */
	public List<String> resolve(LockCallRoot root) {
		if (areMethodItself()) {
			return this.methodItself;
		}
		List<String> keys = new ArrayList<>();
		for (LockExpression expression : this.expressions) {
			new LockKeyCollector(expression, root, keys).collect();
		}
		return keys;
	}

}
