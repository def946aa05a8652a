package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import io.distributedlock.annotation.DistributedLockFinder;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method that the container calls on the bean object itself while it makes or destroys
 * the bean. The call does not pass the proxy.
 *
 * @param cause the reason of the call, as a clause of a message
 * @param remedy the way to take a lock nevertheless
 */
record ContainerCallback(String cause, String remedy) {

	private static final List<String> INIT = List.of("jakarta.annotation.PostConstruct",
			"javax.annotation.PostConstruct", "org.springframework.beans.factory.annotation.Autowired",
			"jakarta.inject.Inject", "jakarta.annotation.Resource");

	private static final List<String> DESTROY = List.of("jakarta.annotation.PreDestroy", "javax.annotation.PreDestroy");

	private static final String REMEDY = "Let it use LockTemplate or call a guarded method of another bean, or weave the"
			+ " lock (distributed-lock.advice=aspectj)";

	/**
	 * Find the reason why the container calls a method on the object itself.
	 * @param definition the definition of the bean, if it has one
	 * @return the callback, or {@code null} if the method is none
	 */
	static @Nullable ContainerCallback of(Method method, Class<?> type, @Nullable RootBeanDefinition definition) {
		String cause = initialization(method, type, definition);
		if (cause == null && (definition == null || !definition.isPrototype())) {
			cause = destruction(method, type, definition);
		}
		if (cause == null && isCalledByStop(method, type)) {
			return new ContainerCallback("SmartLifecycle.stop(Runnable) calls it",
					"Annotate stop(Runnable) instead, which the container calls through the bean");
		}
		return (cause != null) ? new ContainerCallback(cause, REMEDY) : null;
	}

	private static @Nullable String initialization(Method method, Class<?> type,
			@Nullable RootBeanDefinition definition) {
		Class<?> declaring = ClassUtils.getInterfaceMethodIfPossible(method, type).getDeclaringClass();
		if (declaring.isInterface() && Aware.class.isAssignableFrom(declaring)) {
			return "it is the callback of " + declaring.getSimpleName();
		}
		if (is(method, type, "afterPropertiesSet", InitializingBean.class)) {
			return "it is the callback of InitializingBean";
		}
		return (definition != null && contains(definition.getInitMethodNames(), method)) ? "it is an init method"
				: annotated(method, INIT);
	}

	private static @Nullable String destruction(Method method, Class<?> type, @Nullable RootBeanDefinition definition) {
		if (is(method, type, "destroy", DisposableBean.class)) {
			return "it is the callback of DisposableBean";
		}
		return (definition != null
				&& (contains(definition.getDestroyMethodNames(), method) || isInferred(method, type, definition)))
						? "it is a destroy method" : annotated(method, DESTROY);
	}

	/**
	 * Return whether Spring infers it: {@code close} and {@code shutdown} need no name.
	 */
	private static boolean isInferred(Method method, Class<?> type, RootBeanDefinition definition) {
		String name = definition.getDestroyMethodName();
		boolean inferred = AbstractBeanDefinition.INFER_METHOD.equals(name)
				|| name == null && AutoCloseable.class.isAssignableFrom(type);
		return inferred && method.getParameterCount() == 0 && !DisposableBean.class.isAssignableFrom(type)
				&& (method.getName().equals("close")
						|| method.getName().equals("shutdown") && !ClassUtils.hasMethod(type, "close"));
	}

	private static boolean isCalledByStop(Method method, Class<?> type) {
		if (!is(method, type, "stop", SmartLifecycle.class)) {
			return false;
		}
		Method called = ReflectionUtils.findMethod(type, "stop", Runnable.class);
		return called != null && called.getDeclaringClass() == SmartLifecycle.class
				&& DistributedLockFinder.find(called, type).isEmpty();
	}

	private static boolean is(Method method, Class<?> type, String name, Class<?> declaring) {
		return method.getName().equals(name) && method.getParameterCount() == 0 && declaring.isAssignableFrom(type);
	}

	private static boolean contains(String @Nullable [] names, Method method) {
		return names != null && method.getParameterCount() == 0 && Arrays.asList(names).contains(method.getName());
	}

	private static @Nullable String annotated(Method method, List<String> annotations) {
		MergedAnnotations present = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		return annotations.stream()
			.filter(present::isPresent)
			.findFirst()
			.map((name) -> "it is annotated with @" + ClassUtils.getShortName(name))
			.orElse(null);
	}

}
