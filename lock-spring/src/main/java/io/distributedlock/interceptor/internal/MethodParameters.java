package io.distributedlock.interceptor.internal;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The variables by which the expressions of a method reach its arguments. They are the
 * names of the parameters, in the target class and in other declarations, and {@code p0},
 * {@code a0}.
 */
public final class MethodParameters {

	private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

	private final Class<?> targetClass;

	private final Method method;

	private final Map<String, Integer> indexes = new LinkedHashMap<>();

	private final boolean named;

	/**
	 * Find the names.
	 * @param targetClass the class of the bean
	 * @param method the method of the target class
	 * @param declarations the method, and the methods that it overrides or implements;
	 * the first one that has a name decides which argument it means
	 */
	public MethodParameters(Class<?> targetClass, Method method, List<Method> declarations) {
		this.targetClass = targetClass;
		this.method = method;
		declarations.forEach(this::add);
		this.named = !this.indexes.isEmpty();
		for (int index = 0; index < method.getParameterCount(); index++) {
			this.indexes.put("p" + index, index);
			this.indexes.put("a" + index, index);
		}
	}

	private void add(Method declaration) {
		@Nullable String @Nullable [] names = DISCOVERER.getParameterNames(declaration);
		for (int index = 0; names != null && index < names.length; index++) {
			if (names[index] != null) {
				this.indexes.putIfAbsent(names[index], index);
			}
		}
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
		return MethodNames.of(this.targetClass, this.method);
	}

	LockCallRoot root(Object target, @Nullable Object[] arguments) {
		return new LockCallRoot(this.method, this.targetClass, target, arguments);
	}

	/** The variables with their sign, names of parameters before positions. */
	List<String> variables() {
		return this.indexes.keySet().stream().map((name) -> "#" + name).toList();
	}

	/** Return whether the class was compiled with the names of parameters. */
	boolean areNamed() {
		return this.named;
	}

}
