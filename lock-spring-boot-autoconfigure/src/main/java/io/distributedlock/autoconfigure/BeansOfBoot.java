package io.distributedlock.autoconfigure;

import java.lang.reflect.Method;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Beans that Spring Boot makes, as opposed to those of the application. */
final class BeansOfBoot {

	/** Beginning of the names of Spring Boot's classes. */
	static final String PACKAGE = "org.springframework.boot.";

	private BeansOfBoot() {
	}

	/**
	 * Return whether there is one bean of a type, and an auto-configuration of Spring
	 * Boot makes it.
	 */
	static boolean isTheOnly(ConfigurableListableBeanFactory beanFactory, Class<?> type) {
		String[] names = beanFactory.getBeanNamesForType(type);
		if (names.length != 1 || !beanFactory.containsBeanDefinition(names[0])) {
			return false;
		}
		// Only once it is made, its definition knows the method in every case.
		beanFactory.getBean(names[0]);
		Method method = (beanFactory.getMergedBeanDefinition(names[0]) instanceof RootBeanDefinition definition)
				? definition.getResolvedFactoryMethod() : null;
		return method != null && method.getDeclaringClass().getName().startsWith(PACKAGE);
	}

}
