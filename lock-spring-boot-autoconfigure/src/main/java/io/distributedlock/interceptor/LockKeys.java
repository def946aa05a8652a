package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

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

	List<String> resolve(LockCallRoot root) {
		if (areMethodItself()) {
			return this.methodItself;
		}
		List<String> keys = new ArrayList<>();
		for (LockExpression expression : this.expressions) {
			int before = keys.size();
			add(keys, expression.evaluate(root), expression, root);
			if (keys.size() == before) {
				throw expression.failure(root, "yields an empty collection, so there is no key to lock", null);
			}
		}
		return keys;
	}

	private void add(List<String> keys, @Nullable Object value, LockExpression expression, LockCallRoot root) {
		if (value instanceof Collection<?> several) {
			several.forEach((element) -> add(keys, element, expression, root));
		}
		else if (ObjectUtils.isArray(value)) {
			for (Object element : ObjectUtils.toObjectArray(value)) {
				add(keys, element, expression, root);
			}
		}
		else {
			keys.add(key(value, expression, root));
		}
	}

	private String key(@Nullable Object value, LockExpression expression, LockCallRoot root) {
		if (value == null) {
			throw expression.failure(root, "yields a null key", null);
		}
		if (hasNoText(value.getClass())) {
			throw expression.failure(root,
					"yields a %s, which has no toString() of its own, so it is another key each time"
						.formatted(value.getClass().getName()),
					null);
		}
		String key = value.toString();
		if (key == null || key.isBlank()) {
			throw expression.failure(root, "yields a blank key", null);
		}
		return key;
	}

	private boolean hasNoText(Class<?> type) {
		Method toString = Objects.requireNonNull(ReflectionUtils.findMethod(type, "toString"));
		return toString.getDeclaringClass() == Object.class;
	}

}
