package io.distributedlock.interceptor.internal;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.util.ClassUtils;

/** Names of methods in keys and messages. */
public final class MethodNames {

	private MethodNames() {
	}

	/**
	 * Target class, name and parameter types: the same on every instance.
	 * @param targetClass the class of the bean
	 * @param method the method
	 * @return for example {@code com.example.Orders.place(com.example.Order,int)}
	 */
	public static String of(Class<?> targetClass, Method method) {
		String parameters = Arrays.stream(method.getParameterTypes())
			.map(Class::getTypeName)
			.collect(Collectors.joining(","));
		return "%s.%s(%s)".formatted(stableClass(targetClass, method).getTypeName(), method.getName(), parameters);
	}

	/**
	 * Return whether a method has a name in the source code. Kotlin's compiler adds
	 * {@code $} and the module to the name of an internal function. It adds {@code -} and
	 * a hash to that of a function with a value class.
	 * @param method the method
	 * @param name the name as it is written
	 * @return {@code true} if that is its name
	 */
	public static boolean isNamed(Method method, String name) {
		return method.getName().equals(name) || method.getName().startsWith(name + "$")
				|| method.getName().startsWith(name + "-");
	}

	/**
	 * A parameter by its position, counted from 1, and its name.
	 * @param method the method
	 * @param index its index, counted from 0
	 * @return for example {@code 2 ('token')}, without the name where that is not known
	 */
	public static String parameter(Method method, int index) {
		@Nullable String @Nullable [] names = new DefaultParameterNameDiscoverer().getParameterNames(method);
		return (index + 1) + ((names != null && names[index] != null) ? " ('%s')".formatted(names[index]) : "");
	}

	// The names of generated classes differ between instances.
	private static Class<?> stableClass(Class<?> targetClass, Method method) {
		if (!targetClass.isHidden() && !Proxy.isProxyClass(targetClass)) {
			return ClassUtils.getUserClass(targetClass);
		}
		return ClassUtils.getInterfaceMethodIfPossible(method, targetClass).getDeclaringClass();
	}

}
