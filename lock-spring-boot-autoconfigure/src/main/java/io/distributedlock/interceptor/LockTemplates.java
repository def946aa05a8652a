package io.distributedlock.interceptor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockTemplate;
import org.springframework.beans.factory.BeanFactory;

/** The templates of guarded methods, one for each registry, made by the first call. */
final class LockTemplates {

	private final BeanFactory beanFactory;

	private final Supplier<LockProfiles> profiles;

	private final Map<String, LockTemplate> templates = new ConcurrentHashMap<>();

	LockTemplates(BeanFactory beanFactory, Supplier<LockProfiles> profiles) {
		this.beanFactory = beanFactory;
		this.profiles = profiles;
	}

	LockTemplate get(String registry) {
		LockTemplate template = this.templates.get(registry);
		if (template == null) {
			template = new LockTemplate(registry.isEmpty() ? this.beanFactory.getBean(LockRegistry.class)
					: this.beanFactory.getBean(registry, LockRegistry.class), this.profiles.get());
			this.templates.put(registry, template);
		}
		return template;
	}

}
