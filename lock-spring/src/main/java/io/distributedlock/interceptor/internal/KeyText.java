package io.distributedlock.interceptor.internal;

import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The text of a value in a key: equal values have equal texts, in every process. The
 * order of sets and maps may depend on the process, so their elements are sorted by their
 * texts, also inside other values. A value without such a text is refused.
 */
final class KeyText {

	private static final int MOST_NESTED = 100;

	private static final int MOST_SEEN = 1_000;

	private static final Pattern ESCAPE = Pattern.compile("%\\p{XDigit}{2}");

	/** Begins the text of an object of a value class of Kotlin. */
	private static final Pattern BOX = Pattern.compile("\\w+\\(\\w+=");

	/**
	 * The fields of objects whose text may be made of them, those of superclasses last.
	 * Classes of the JDK and enums have none.
	 */
	private static final ClassValue<List<Field>> FIELDS = new ClassValue<>() {

		@Override
		protected List<Field> computeValue(Class<?> type) {
			List<Field> fields = new ArrayList<>();
			for (Class<?> each = type; each != null && !isOfJdk(each) && !each.isEnum(); each = each.getSuperclass()) {
				Arrays.stream(each.getDeclaredFields()).filter(KeyText::isReadable).forEach(fields::add);
			}
			return List.copyOf(fields);
		}

	};

	private static final ClassValue<Boolean> IS_VALUE_CLASS = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return Arrays.stream(type.getDeclaredAnnotations())
				.map(Annotation::annotationType)
				.anyMatch((annotation) -> annotation.getName().equals("kotlin.jvm.JvmInline"));
		}

	};

	private KeyText() {
	}

	private static boolean isOfJdk(Class<?> type) {
		return type.getName().startsWith("java.");
	}

	private static boolean isReadable(Field field) {
		return !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic() && field.trySetAccessible();
	}

	/**
	 * A value as a parameter has it. A value of a Kotlin value class loses its object,
	 * which it has in collections and where it may be {@code null}.
	 */
	static @Nullable Object unboxed(@Nullable Object value) {
		if (value == null || !IS_VALUE_CLASS.get(value.getClass()) || FIELDS.get(value.getClass()).isEmpty()) {
			return value;
		}
		return ReflectionUtils.getField(FIELDS.get(value.getClass()).get(0), value);
	}

	/** Return whether the text of a value is not simply its {@code toString()}. */
	static boolean isMade(Class<?> type) {
		return Map.class.isAssignableFrom(type) || Collection.class.isAssignableFrom(type)
				|| Map.Entry.class.isAssignableFrom(type) || type == Optional.class || type == URI.class
				|| type.isArray() || !FIELDS.get(type).isEmpty() || problemOf(type) != null;
	}

	/**
	 * The text of a value that is joined to another text: elements with a comma in
	 * between.
	 */
	static String joined(Object value) {
		Object plain = unboxed(value);
		if (plain instanceof Collection<?> several) {
			return join(several, 0, ",");
		}
		return (plain != null && plain.getClass().isArray())
				? join(Arrays.asList(ObjectUtils.toObjectArray(plain)), 0, ",") : of(plain);
	}

	/** The text of a value. */
	static String of(@Nullable Object value) {
		return of(value, 0);
	}

	private static String of(@Nullable Object boxed, int depth) {
		Object value = unboxed(boxed);
		if (value == null) {
			return "null";
		}
		if (depth > MOST_NESTED) {
			throw new Refused("yields a value that is nested too deeply");
		}
		if (value instanceof Map<?, ?> map) {
			return '{' + join(map.entrySet(), depth, ", ") + '}';
		}
		if (value instanceof Collection<?> several) {
			return '[' + join(several, depth, ", ") + ']';
		}
		if (value instanceof Map.Entry<?, ?> entry) {
			return of(entry.getKey(), depth + 1) + '=' + of(entry.getValue(), depth + 1);
		}
		if (value instanceof Optional<?> optional) {
			return optional.map((present) -> "Optional[" + of(present, depth + 1) + ']').orElse("Optional.empty");
		}
		return (value instanceof URI uri) ? ofUri(uri) : ofObject(value, depth);
	}

	private static String join(Collection<?> several, int depth, String separator) {
		Stream<String> texts = several.stream().map((element) -> of(element, depth + 1));
		return ((several instanceof List) ? texts : texts.sorted()).collect(Collectors.joining(separator));
	}

	/** Unifies the case of the scheme, the host and the escapes, which has no meaning. */
	private static String ofUri(URI uri) {
		StringBuilder text = new StringBuilder(
				ESCAPE.matcher(uri.toString()).replaceAll((found) -> found.group().toUpperCase(Locale.ROOT)));
		if (uri.getScheme() != null) {
			text.replace(0, uri.getScheme().length(), uri.getScheme().toLowerCase(Locale.ROOT));
		}
		if (uri.getHost() != null) {
			String user = uri.getRawUserInfo();
			int begin = text.indexOf("//") + 2 + ((user != null) ? user.length() + 1 : 0);
			text.replace(begin, begin + uri.getHost().length(), uri.getHost().toLowerCase(Locale.ROOT));
		}
		return text.toString();
	}

	/** The text of an object. If it shows fields, it is made anew of their texts. */
	private static String ofObject(Object value, int depth) {
		String problem = problemOf(value.getClass());
		if (problem != null) {
			throw new Refused(problem);
		}
		String text = value.toString();
		if (text == null) {
			return "";
		}
		List<Field> fields = FIELDS.get(value.getClass());
		List<Object> parts = fields.stream()
			.map((field) -> ReflectionUtils.getField(field, value))
			.filter((part) -> part != null && isMade(part.getClass()))
			.toList();
		String made = parts.isEmpty() ? text : ofFields(value, text, fields, depth);
		if (made == null) {
			Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
			parts.forEach((part) -> refuseOrder(value, text, part, seen));
		}
		return (made != null) ? made : text;
	}

	/**
	 * Make the text in the format of records, data classes of Kotlin and classes with
	 * Lombok. The format is a name, and in brackets some of the fields with their values,
	 * in order. The text of any other field is not made, since that may load it.
	 * @return {@code null} if the text has another format
	 */
	private static @Nullable String ofFields(Object value, String text, List<Field> fields, int depth) {
		boolean isRecord = value.getClass().isRecord();
		String begin = value.getClass().getSimpleName() + (isRecord ? '[' : '(');
		if (!text.startsWith(begin)) {
			return null;
		}
		StringBuilder made = new StringBuilder(begin);
		int read = begin.length();
		for (Field field : fields) {
			String name = ((read > begin.length()) ? ", " : "") + field.getName() + '=';
			if (text.startsWith(name, read)) {
				Object part = ReflectionUtils.getField(field, value);
				String shown = String.valueOf(part);
				int from = read + name.length();
				int at = indexOf(shown, text, from);
				if (at < 0) {
					return null;
				}
				read = at + shown.length();
				made.append(name).append(text, from, at).append(of(part, depth + 1));
				if (at > from) {
					made.append(text.charAt(read++));
				}
			}
		}
		String end = isRecord ? "]" : ")";
		return text.substring(read).equals(end) ? made.append(end).toString() : null;
	}

	/**
	 * Find a field's value, which may be in the text of an object of a value class.
	 * @return the position, or -1 if the text does not go on with it
	 */
	private static int indexOf(String shown, String text, int from) {
		Matcher box = BOX.matcher(text).region(from, text.length());
		if (text.startsWith(shown, from) || !box.lookingAt()) {
			return text.startsWith(shown, from) ? from : -1;
		}
		return text.startsWith(shown + ')', box.end()) ? box.end() : -1;
	}

	/**
	 * Refuse a text that shows the order of a set or map of the object, also inside other
	 * containers of the JDK and records.
	 */
	private static void refuseOrder(Object value, String text, @Nullable Object part, Set<Object> seen) {
		if (part == null || !isMade(part.getClass()) || seen.size() >= MOST_SEEN || !seen.add(part)) {
			return;
		}
		if (isWithoutOrder(part) && text.contains(part.toString())) {
			throw new Refused(
					"yields a %s, whose text shows the order of a %s, which equal ones need not share: use a property that identifies it"
						.formatted(value.getClass().getTypeName(), part.getClass().getTypeName()));
		}
		partsOf(part).forEach((inner) -> refuseOrder(value, text, inner, seen));
	}

	/** Return whether equal containers may show their elements in different orders. */
	private static boolean isWithoutOrder(Object part) {
		if (part instanceof Map<?, ?> map && isOfJdk(part.getClass())) {
			return map.size() > 1 && !(map instanceof SortedMap<?, ?> sorted && sorted.comparator() == null);
		}
		return part instanceof Collection<?> several && isOfJdk(part.getClass()) && several.size() > 1
				&& !(several instanceof List || several instanceof SortedSet<?> sorted && sorted.comparator() == null);
	}

	/**
	 * The parts of containers of the JDK and of records. Other objects are not searched:
	 * they may load their content, and may reach the whole application.
	 */
	private static Stream<?> partsOf(Object value) {
		if (value instanceof Object[] array) {
			return Arrays.stream(array);
		}
		if (value instanceof Optional<?> optional) {
			return optional.stream();
		}
		if (value instanceof Map.Entry<?, ?> entry) {
			return Stream.of(entry.getKey(), entry.getValue());
		}
		if (value.getClass().isRecord()) {
			return FIELDS.get(value.getClass()).stream().map((field) -> ReflectionUtils.getField(field, value));
		}
		if (!isOfJdk(value.getClass())) {
			return Stream.empty();
		}
		return (value instanceof Map<?, ?> map) ? map.entrySet().stream()
				: (value instanceof Collection<?> several) ? several.stream() : Stream.empty();
	}

	/** The reason why equal values may have different texts, with the remedy. */
	static @Nullable String problemOf(Class<?> type) {
		if (Date.class.isAssignableFrom(type) || Calendar.class.isAssignableFrom(type)) {
			return "yields a %s, whose text depends on the time zone: use its toInstant(), or getTime() if it is a java.sql.Date"
				.formatted(type.getTypeName());
		}
		if (InetAddress.class.isAssignableFrom(type) || InetSocketAddress.class.isAssignableFrom(type)) {
			return "yields a %s, whose text may have a name in it: use getHostAddress() of the address"
				.formatted(type.getTypeName());
		}
		if (type == URL.class) {
			return "yields a java.net.URL, whose equality asks a name server: use its toURI()";
		}
		return Buffer.class.isAssignableFrom(type) && !CharSequence.class.isAssignableFrom(type)
				? "yields a %s, whose text is not its content: make a text of that".formatted(type.getTypeName())
				: null;
	}

	/** Thrown when a value can be no key, or no part of one. */
	static final class Refused extends RuntimeException {

		Refused(String problem) {
			super(problem);
		}

	}

}
