package io.distributedlock.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The keys of a guarded method: expressions, or the method itself where there are none.
 */
final class LockKeys {

	private final List<LockExpression> expressions;

	private final List<String> methodItself;

	LockKeys(List<LockExpression> expressions, String methodItself) {
		this.expressions = List.copyOf(expressions);
		this.methodItself = List.of(methodItself);
	}

	boolean areMethodItself() {
		return this.expressions.isEmpty();
	}

	List<String> texts() {
		return this.expressions.stream().map(LockExpression::text).toList();
	}

	/** The keys that are the same ones for every call. */
	List<String> literals() {
		if (areMethodItself()) {
			return this.methodItself;
		}
		return this.expressions.stream().map(LockExpression::literal).filter(Objects::nonNull).toList();
	}

	List<String> resolve(LockCallRoot root) {
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
