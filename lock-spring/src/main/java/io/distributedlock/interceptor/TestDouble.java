package io.distributedlock.interceptor;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

/**
 * An object that replaces a bean in a test: a mock, which does not run the code of its
 * class, or an object of {@code @TestBean}. It is registered as it is and needs no lock.
 * Types are known by name, since the libraries of tests are absent elsewhere.
 */
final class TestDouble {

	private static final String OVERRIDE = "org.springframework.test.context.bean.override.BeanOverride";

	private TestDouble() {
	}

	static boolean is(Object bean, @Nullable RootBeanDefinition definition) {
		return isOverride((definition != null) ? definition.getQualifiedElement() : null) || isMockitoMock(bean)
				|| isMockKMock(bean);
	}

	private static boolean isOverride(@Nullable AnnotatedElement field) {
		return field != null && MergedAnnotations.from(field).isPresent(OVERRIDE);
	}

	private static boolean isMockitoMock(Object bean) {
		try {
			Object details = type("org.mockito.Mockito", bean).getMethod("mockingDetails", Object.class)
				.invoke(null, bean);
			return Boolean.TRUE.equals(type("org.mockito.MockingDetails", bean).getMethod("isMock").invoke(details));
		}
		catch (ReflectiveOperationException | LinkageError ex) {
			return false;
		}
	}

	private static boolean isMockKMock(Object bean) {
		try {
			Method isMock = type("io.mockk.MockKKt", bean).getMethod("isMockKMock", Object.class, boolean.class,
					boolean.class, boolean.class, boolean.class, boolean.class);
			return Boolean.TRUE.equals(isMock.invoke(null, bean, true, true, false, false, false));
		}
		catch (ReflectiveOperationException | LinkageError ex) {
			return false;
		}
	}

	private static Class<?> type(String name, Object bean) throws ClassNotFoundException {
		return ClassUtils.forName(name, bean.getClass().getClassLoader());
	}

}
