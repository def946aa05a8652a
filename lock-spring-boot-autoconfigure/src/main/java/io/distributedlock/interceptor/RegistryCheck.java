package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;

import io.distributedlock.LockRegistry;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

/** Makes sure that the registry of a method exists, without creating it. */
final class RegistryCheck {

	private final ConfigurableListableBeanFactory beanFactory;

	RegistryCheck(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	void check(String registry, Method method, Class<?> targetClass) {
		List<String> names = List
			.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, LockRegistry.class, true, false));
		if (names.isEmpty()) {
			throw new InvalidLockDeclarationException(targetClass, method, "there is no LockRegistry bean",
					"Configure a store with distributed-lock.store, or declare a LockRegistry bean");
		}
		if (!registry.isEmpty() && !names.contains(registry)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"there is no LockRegistry bean named '%s'".formatted(registry), "Use one of " + names);
		}
		List<String> candidates = names.stream().filter(this::isCandidate).toList();
		if (registry.isEmpty() && candidates.size() > 1 && candidates.stream().noneMatch(this::isPreferred)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"there are several LockRegistry beans and none is primary",
					("Name one of %s with the attribute registry, mark one with @Primary, "
							+ "or declare the others with @Bean(defaultCandidate = false)")
						.formatted(candidates));
		}
	}

	/** Whether it may be the one where none is named, as for any injection by type. */
	private boolean isCandidate(String name) {
		if (!this.beanFactory.containsBeanDefinition(name)) {
			return true;
		}
		BeanDefinition definition = this.beanFactory.getMergedBeanDefinition(name);
		return definition.isAutowireCandidate() && !definition.isFallback()
				&& (!(definition instanceof AbstractBeanDefinition bean) || bean.isDefaultCandidate());
	}

	private boolean isPreferred(String name) {
		return !this.beanFactory.containsBeanDefinition(name)
				|| this.beanFactory.getMergedBeanDefinition(name).isPrimary();
	}

}
