package io.distributedlock.interceptor.expression;

import java.lang.reflect.Method;
import java.util.Calendar;
import java.util.Date;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;

/**
 * Values whose text differs between instances, or between equal values: as a key it would
 * be another lock each time.
 */
final class KeyTraps {

	private static final String IDENTITY = "so it is another key each time";

	private static final String USE_PROPERTY = "use a property that identifies it";

	/** Name of an array or of a class in a package; a lambda's ends with a number. */
	private static final Pattern CLASS_NAME = Pattern
		.compile("\\[+(?:[BCDFIJSZ]|L[^;]+;)|\\[*(?:[\\w$]++\\.)++(?:\\p{Upper}[\\w$]*+)|.*\\$\\$Lambda.*");

	private static final int LONGEST_HASH = 8;

	private KeyTraps() {
	}

	/** The problem with its remedy, or {@code null} if instances have a good text. */
	static @Nullable String problemOf(Class<?> type) {
		if (Date.class.isAssignableFrom(type) || Calendar.class.isAssignableFrom(type)) {
			return "yields a %s, whose text depends on the time zone: use its toInstant(), or getTime() if it is a java.sql.Date"
				.formatted(type.getTypeName());
		}
		if (type == OptionalInt.class || type == OptionalLong.class || type == OptionalDouble.class) {
			return "yields an %s, whose text is the same for all that are empty: use its number"
				.formatted(type.getSimpleName());
		}
		return (type == byte[].class) ? "yields a byte[], each element of which would be a key: make a text of it, "
				+ "as by T(java.util.HexFormat).of().formatHex(…)" : null;
	}

	/** The problem with its remedy, or {@code null} if a value may be a key. */
	static @Nullable String problemOfValue(Class<?> type) {
		String problem = problemOf(type);
		return (problem == null && hasNoText(type)) ? "yields a %s, which has no toString() of its own, %s: %s"
			.formatted(type.getTypeName(), IDENTITY, USE_PROPERTY) : problem;
	}

	/**
	 * The problem with its remedy, or {@code null}. Finds the identity hash of an object
	 * in the text of another one, such as a record with an array.
	 * @param text the key
	 */
	static @Nullable String problemOfText(String text) {
		for (int at = text.indexOf('@'); at > 0; at = text.indexOf('@', at + 1)) {
			int start = at;
			while (start > 0 && isPartOfName(text.charAt(start - 1))) {
				start--;
			}
			if (isHash(text, at + 1) && CLASS_NAME.matcher(text.substring(start, at)).matches()) {
				return "yields a text with the identity of an object in it (\"%s@…\"), %s: %s"
					.formatted(text.substring(start, at), IDENTITY, USE_PROPERTY);
			}
		}
		return null;
	}

	private static boolean isPartOfName(char c) {
		return Character.isJavaIdentifierPart(c) || ".;[/".indexOf(c) >= 0;
	}

	private static boolean isHash(String text, int start) {
		int end = start;
		while (end < text.length() && end <= start + LONGEST_HASH && Character.digit(text.charAt(end), 16) >= 0) {
			end++;
		}
		boolean ends = end == text.length()
				|| !(Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '.');
		return end > start && end <= start + LONGEST_HASH && ends;
	}

	private static boolean hasNoText(Class<?> type) {
		Method toString = Objects.requireNonNull(ReflectionUtils.findMethod(type, "toString"));
		return toString.getDeclaringClass() == Object.class;
	}

}
