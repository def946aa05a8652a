package io.distributedlock;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The public and protected members of types, as lines of text. */
final class ApiSurface {

	private ApiSurface() {
	}

	/**
	 * A line for each type that other code can use, and an indented one for each member.
	 */
	static List<String> of(Stream<Class<?>> types) {
		List<String> lines = new ArrayList<>();
		types.filter(ApiSurface::isAccessible).sorted(Comparator.comparing(Class::getName)).forEach((type) -> {
			lines.add(type.toGenericString() + supertypes(type));
			members(type).map((member) -> "    " + member).sorted().forEach(lines::add);
		});
		return lines;
	}

	private static String supertypes(Class<?> type) {
		List<String> names = new ArrayList<>();
		if (type.getGenericSuperclass() != null && type.getSuperclass() != Object.class) {
			names.add(type.getGenericSuperclass().getTypeName());
		}
		Arrays.stream(type.getGenericInterfaces()).forEach((supertype) -> names.add(supertype.getTypeName()));
		return names.isEmpty() ? "" : " : " + String.join(", ", names);
	}

	/** A nested type is as accessible as the one around it. */
	private static boolean isAccessible(Class<?> type) {
		Class<?> outer = type.getDeclaringClass();
		return !type.isAnonymousClass() && !type.isSynthetic() && isAccessible(type.getModifiers())
				&& (outer == null || isAccessible(outer));
	}

	private static boolean isAccessible(int modifiers) {
		return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
	}

	private static Stream<String> members(Class<?> type) {
		Stream<? extends AccessibleObject> all = Stream
			.of(type.getDeclaredFields(), type.getDeclaredConstructors(), type.getDeclaredMethods())
			.flatMap(Arrays::stream);
		return all.map(Member.class::cast)
			.filter((member) -> isAccessible(member.getModifiers()) && !member.isSynthetic())
			.filter((member) -> !isProtectedInAFinalClass(member))
			.map(ApiSurface::text);
	}

	private static boolean isProtectedInAFinalClass(Member member) {
		return Modifier.isProtected(member.getModifiers())
				&& Modifier.isFinal(member.getDeclaringClass().getModifiers());
	}

	private static String text(Member member) {
		String text = (member instanceof Executable executable) ? executable.toGenericString()
				: ((Field) member).toGenericString();
		String owner = member.getDeclaringClass().getName();
		String name = (member instanceof Constructor<?>) ? owner : owner + "." + member.getName();
		String plain = (member instanceof Constructor<?>) ? member.getDeclaringClass().getSimpleName()
				: member.getName();
		String end = (member instanceof Method method && method.getDefaultValue() != null) ? " default" : "";
		return text.replace(name, plain) + end;
	}

}
