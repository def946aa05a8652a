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
	 * Return whether an auto-configuration of Spring Boot has made a bean, here or in a
	 * parent context.
	 */
	static boolean isMade(ConfigurableListableBeanFactory beanFactory, Class<?> type, Object bean) {
		for (String name : beanFactory.getBeanNamesForType(type)) {
			if (beanFactory.containsBeanDefinition(name) && beanFactory.getBean(name) == bean) {
				Method method = (beanFactory.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition)
						? definition.getResolvedFactoryMethod() : null;
				return method != null && method.getDeclaringClass().getName().startsWith(PACKAGE);
			}
		}
		return beanFactory.getParentBeanFactory() instanceof ConfigurableListableBeanFactory parent
				&& isMade(parent, type, bean);
	}

}
