package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;

import io.distributedlock.LockRegistry;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

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
		if (registry.isEmpty() && names.size() > 1 && names.stream().noneMatch(this::isPreferred)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"there are several LockRegistry beans and none is primary",
					"Name one of %s with the attribute registry, or mark one with @Primary".formatted(names));
		}
	}

	private boolean isPreferred(String name) {
		return !this.beanFactory.containsBeanDefinition(name)
				|| this.beanFactory.getMergedBeanDefinition(name).isPrimary();
	}

}
