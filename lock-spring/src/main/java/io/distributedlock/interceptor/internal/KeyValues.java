package io.distributedlock.interceptor.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/**
 * The keys that the value of an expression yields: several for a collection or an array,
 * else one. Refuses values whose text differs between instances, or between equal values:
 * such a key would be another lock each time.
 */
final class KeyValues {

	private static final int MOST_NESTED = 100;

	private static final String EACH_TIME = "so it is another key each time: use a property that identifies it";

	/** An array, a class in a package or a lambda, with its identity hash. */
	private static final Pattern IDENTITY = Pattern
		.compile("(?<![\\w$.\\[;/])(\\[+(?:[BCDFIJSZ]|L[^;]+;)|(?:[\\w$]++\\.)++\\p{Upper}[\\w$/.]*+)"
				+ "@\\p{XDigit}{1,8}(?![\\w.])");

	private final LockExpression expression;

	private final List<String> keys = new ArrayList<>();

	private KeyValues(LockExpression expression) {
		this.expression = expression;
	}

	static List<String> keysOf(@Nullable Object value, LockExpression expression) {
		KeyValues values = new KeyValues(expression);
		try {
			values.add(value, 0);
		}
		catch (RuntimeException ex) {
			throw expression.failure(ex);
		}
		values.refuse(values.keys.isEmpty() ? "yields an empty collection, so there is no key to lock" : null);
		return values.keys;
	}

	private void add(@Nullable Object boxed, int depth) {
		Object value = KeyText.unboxed(boxed);
		refuse((depth > MOST_NESTED) ? "yields collections that are nested too deeply" : null);
		if (value instanceof Collection<?> several) {
			several.forEach((element) -> add(element, depth + 1));
		}
		else if (value instanceof Optional<?> optional) {
			add(optional.orElse(null), depth + 1);
		}
		else if (value != null && value.getClass().isArray()) {
			refuse(problemOf(value.getClass()));
			for (Object element : ObjectUtils.toObjectArray(value)) {
				add(element, depth + 1);
			}
		}
		else {
			this.keys.add(key(value));
		}
	}

	private String key(@Nullable Object value) {
		if (value == null) {
			throw this.expression.failure("yields a null key", null);
		}
		refuse(problemOf(value.getClass()));
		String key = KeyText.of(value);
		if (key.isBlank()) {
			throw this.expression.failure("yields a blank key", null);
		}
		Matcher identity = IDENTITY.matcher(key);
		refuse(identity.find() ? "yields a text with the identity of an object in it (\"%s@…\"), %s"
			.formatted(identity.group(1), EACH_TIME) : null);
		return key;
	}

	private void refuse(@Nullable String problem) {
		if (problem != null) {
			throw this.expression.failure(problem, null);
		}
	}

	/** The problem with its remedy, or {@code null} if values of a type may be keys. */
	static @Nullable String problemOf(Class<?> type) {
		if (type == OptionalInt.class || type == OptionalLong.class || type == OptionalDouble.class) {
			return "yields an %s, whose text is the same for all that are empty: use its number"
				.formatted(type.getSimpleName());
		}
		if (type == byte[].class) {
			return "yields a byte[], each element of which would be a key: make a text of it, "
					+ "as by T(java.util.HexFormat).of().formatHex(…)";
		}
		return (!type.isArray() && hasNoText(type))
				? "yields a %s, which has no toString() of its own, %s".formatted(type.getTypeName(), EACH_TIME)
				: KeyText.problemOf(type);
	}

	/**
	 * Return whether objects of a type have no text of their own, but only that of
	 * {@code Object.toString()}. The class behind an interface is known at the call only.
	 */
	private static boolean hasNoText(Class<?> type) {
		return !type.isInterface() && ClassUtils.getMethod(type, "toString").getDeclaringClass() == Object.class;
	}

}
