package io.distributedlock.test;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockFinder;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.internal.MethodNames;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

/**
 * Assertions on whether a method of a bean is guarded by {@link DistributedLock}. They
 * look at the annotations that count for the method and at the proxy of the bean, or at
 * its woven class, and call nothing.
 *
 * @since 0.1.0
 */
public final class GuardedMethodAssert extends AbstractAssert<GuardedMethodAssert, Method> {

	/** AspectJ moves the code of a woven method into another one. */
	private static final String WOVEN = "_aroundBody";

	private final Object bean;

	private final List<DistributedLock> locks;

	GuardedMethodAssert(Object bean, String methodName, Class<?>... parameterTypes) {
		super(find(AopProxyUtils.ultimateTargetClass(bean), methodName, parameterTypes), GuardedMethodAssert.class);
		this.bean = bean;
		Class<?> targetClass = AopProxyUtils.ultimateTargetClass(bean);
		this.locks = DistributedLockFinder.find(AopUtils.getMostSpecificMethod(this.actual, targetClass), targetClass);
	}

	private static Method find(Class<?> type, String name, Class<?>... parameterTypes) {
		Method exact = ReflectionUtils.findMethod(type, name, parameterTypes);
		if (exact != null) {
			return exact;
		}
		List<Method> named = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
			.filter((method) -> MethodNames.isNamed(method, name) && !method.isSynthetic())
			.toList();
		List<Method> fitting = named.stream()
			.filter((method) -> parameterTypes.length == 0 || isWritten(method, parameterTypes))
			.toList();
		Assert.isTrue(fitting.size() == 1,
				() -> "%s has no method %s with these parameter types; with this name there are %s"
					.formatted(type.getName(), name, named));
		return fitting.get(0);
	}

	/**
	 * Return whether the source code of a Kotlin function has these parameters. The
	 * compiled function has the value of a value class instead of its object, and a
	 * continuation if it suspends.
	 */
	private static boolean isWritten(Method method, Class<?>[] parameterTypes) {
		Class<?>[] compiled = method.getParameterTypes();
		return compiled.length == parameterTypes.length + (KotlinDetector.isSuspendingFunction(method) ? 1 : 0)
				&& IntStream.range(0, parameterTypes.length)
					.allMatch((index) -> compiled[index] == parameterTypes[index]
							|| compiled[index] == unboxed(parameterTypes[index]));
	}

	private static @Nullable Class<?> unboxed(Class<?> type) {
		Method unbox = ReflectionUtils.findMethod(type, "unbox-impl");
		return (unbox != null) ? unbox.getReturnType() : null;
	}

	/**
	 * Make sure that the method takes a lock when it is called on the bean.
	 * @return this assertion
	 */
	public GuardedMethodAssert isGuarded() {
		if (this.locks.isEmpty()) {
			failWithMessage("%nExpecting%n  %s%nto be guarded by a lock, but neither it nor its class or an interface"
					+ " has @DistributedLock", this.actual);
		}
		if (!isProxied() && !isWoven()) {
			failWithMessage("%nExpecting%n  %s%nto be guarded by a lock, but this object has no proxy that takes it."
					+ " Is it the bean of the application context, and is the auto-configuration of the locks there?",
					this.actual);
		}
		return this;
	}

	/**
	 * Make sure that the method is guarded by a certain lock: by the only one, or by one
	 * of several.
	 * @param name the {@link DistributedLock#name() name} as it is written, or an empty
	 * string for none
	 * @param keys the {@link DistributedLock#key() key} expressions as they are written,
	 * in their order; none for a lock on the method itself
	 * @return this assertion
	 */
	public GuardedMethodAssert isGuardedBy(String name, String... keys) {
		isGuarded();
		if (this.locks.stream().noneMatch((lock) -> lock.name().equals(name) && Arrays.equals(lock.key(), keys))) {
			failWithMessage("%nExpecting%n  %s%nto be guarded by a lock with name '%s' and keys %s but it is by%n  %s",
					this.actual, name, List.of(keys), this.locks.stream().map(GuardedMethodAssert::describe).toList());
		}
		return this;
	}

	private static String describe(DistributedLock lock) {
		return "name '%s' and keys %s".formatted(lock.name(), List.of(lock.key()));
	}

	/**
	 * Make sure that the method takes no lock.
	 * @return this assertion
	 */
	public GuardedMethodAssert isNotGuarded() {
		if (!this.locks.isEmpty()) {
			failWithMessage("%nExpecting%n  %s%nnot to be guarded by a lock but it is by%n  %s", this.actual,
					this.locks.stream().map(GuardedMethodAssert::describe).toList());
		}
		return this;
	}

	private boolean isProxied() {
		return this.bean instanceof Advised advised
				&& Arrays.stream(advised.getAdvisors()).anyMatch(DistributedLockAdvisor.class::isInstance);
	}

	private boolean isWoven() {
		return Arrays.stream(this.actual.getDeclaringClass().getDeclaredMethods())
			.anyMatch((method) -> method.getName().startsWith(this.actual.getName() + WOVEN));
	}

}
