package io.distributedlock.interceptor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockTemplate;
import io.distributedlock.reactive.ReactiveLockTemplate;

import org.springframework.beans.factory.BeanFactory;

/**
 * The templates of guarded methods, one for each registry and way of waiting, made by the
 * first call.
 */
final class LockTemplates {

	private final BeanFactory beanFactory;

	private final Supplier<LockProfiles> profiles;

	private final Map<String, LockTemplate> templates = new ConcurrentHashMap<>();

	private final Map<String, ReactiveLockTemplate> reactive = new ConcurrentHashMap<>();

	LockTemplates(BeanFactory beanFactory, Supplier<LockProfiles> profiles) {
		this.beanFactory = beanFactory;
		this.profiles = profiles;
	}

	LockTemplate get(String registry) {
		LockTemplate template = this.templates.get(registry);
		if (template == null) {
			template = new LockTemplate(registry(registry), this.profiles.get());
			this.templates.put(registry, template);
		}
		return template;
	}

	ReactiveLockTemplate getReactive(String registry) {
		ReactiveLockTemplate template = this.reactive.get(registry);
		if (template == null) {
			template = new ReactiveLockTemplate(registry(registry), this.profiles.get());
			this.reactive.put(registry, template);
		}
		return template;
	}

	private LockRegistry registry(String name) {
		return name.isEmpty() ? this.beanFactory.getBean(LockRegistry.class)
				: this.beanFactory.getBean(name, LockRegistry.class);
	}

}
