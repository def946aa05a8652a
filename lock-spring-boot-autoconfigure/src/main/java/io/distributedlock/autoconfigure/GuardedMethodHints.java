package io.distributedlock.autoconfigure;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockFinder;
import io.distributedlock.annotation.ValueClassBridge;
import io.distributedlock.interceptor.internal.MethodNames;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Keeps in a native image the members that guarded methods reach by name only.
 * Expressions read arguments, their properties and the bean, and annotations name
 * fallback methods. Covers the declared types, but neither their subclasses nor
 * {@code @bean} in expressions.
 */
final class GuardedMethodHints implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
		List<Method> guarded = DistributedLockFinder.guardedMethods(type);
		return guarded.isEmpty() ? null
				: (context, code) -> guarded.forEach((method) -> DistributedLockFinder.find(method, type)
					.forEach((lock) -> register(context.getRuntimeHints().reflection(), type, method, lock)));
	}

	private static void register(ReflectionHints hints, Class<?> type, Method method, DistributedLock lock) {
		hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
		IntStream.range(0, method.getParameterCount())
			.mapToObj((index) -> ResolvableType.forMethodParameter(method, index, type))
			.forEach((parameter) -> registerArgument(hints, parameter));
		ValueClassBridge.to(method, type)
			.forEach((bridge) -> bridge.valueClasses()
				.forEach((value) -> hints.registerType(value, MemberCategory.INVOKE_PUBLIC_METHODS)));
		String fallback = lock.fallback();
		Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type, (found) -> MethodNames.isNamed(found, fallback)))
			.forEach((found) -> hints.registerMethod(found, ExecutableMode.INVOKE));
	}

	private static void registerArgument(ReflectionHints hints, ResolvableType parameter) {
		Type generic = parameter.getType();
		new BindingReflectionHintsRegistrar().registerReflectionHints(hints, generic);
		hints.registerType(parameter.resolve(Object.class), MemberCategory.INVOKE_PUBLIC_METHODS);
	}

}
