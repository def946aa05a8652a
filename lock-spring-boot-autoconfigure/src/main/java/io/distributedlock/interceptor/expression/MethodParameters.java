package io.distributedlock.interceptor.expression;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The variables by which the expressions of a method reach its arguments: {@code p0},
 * {@code a0} and the names of the parameters, both in the target class and where the lock
 * is declared.
 */
public final class MethodParameters {

	private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

	private final String method;

	private final Map<String, Integer> indexes = new LinkedHashMap<>();

	private final boolean discovered;

	/**
	 * Find the names.
	 * @param targetClass the class of the bean
	 * @param method the method of the target class
	 * @param declared the method that carries the declaration, if that is another one
	 */
	public MethodParameters(Class<?> targetClass, Method method, @Nullable Method declared) {
		this.method = MethodNames.of(targetClass, method);
		int count = method.getParameterCount();
		for (int index = 0; index < count; index++) {
			this.indexes.put("p" + index, index);
			this.indexes.put("a" + index, index);
		}
		boolean found = add(method) || count == 0;
		if (declared != null && !declared.equals(method) && declared.getParameterCount() == count) {
			found |= add(declared);
		}
		this.discovered = found;
	}

	private boolean add(Method method) {
		@Nullable String @Nullable [] names = DISCOVERER.getParameterNames(method);
		if (names == null) {
			return false;
		}
		for (int index = 0; index < names.length; index++) {
			if (names[index] != null) {
				this.indexes.putIfAbsent(names[index], index);
			}
		}
		return true;
	}

	/**
	 * The argument that a variable stands for.
	 * @param variable the name without its sign
	 * @return its index, or {@code null} if there is no such variable
	 */
	public @Nullable Integer indexOf(String variable) {
		return this.indexes.get(variable);
	}

	/** The method with class and parameter types, for messages. */
	String method() {
		return this.method;
	}

	/** The variables with their sign, names of parameters before positions. */
	List<String> variables() {
		return this.indexes.keySet()
			.stream()
			.sorted(Comparator.comparing(this::isPosition))
			.map((name) -> "#" + name)
			.toList();
	}

	private boolean isPosition(String name) {
		Integer index = this.indexes.get(name);
		return name.equals("p" + index) || name.equals("a" + index);
	}

	boolean isEmpty() {
		return this.indexes.isEmpty();
	}

	/** Whether the class was compiled with the names of parameters. */
	boolean areDiscovered() {
		return this.discovered;
	}

}
