package io.distributedlock.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.distributedlock.observation.LockObservation;
import io.distributedlock.observation.LockObservationConvention;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The use that an application makes of observations, as its beans and properties show it.
 * A handler that is given to the registry in code alone is not seen.
 */
final class ObservationUse {

	private static final String BOOT = BeansOfBoot.PACKAGE;

	/** Types of Spring Boot 4 and of Spring Boot 3 that change a registry. */
	private static final List<String> CHANGES = List.of(
			BOOT + "micrometer.observation.autoconfigure.ObservationRegistryCustomizer",
			BOOT + "actuate.autoconfigure.observation.ObservationRegistryCustomizer");

	private static final Bindable<Map<String, String>> TEXTS = Bindable.mapOf(String.class, String.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final Binder properties;

	ObservationUse(ConfigurableListableBeanFactory beanFactory, Environment environment) {
		this.beanFactory = beanFactory;
		this.properties = Binder.get(environment);
	}

	/**
	 * Return whether the observations of locks would become timers in the only registry
	 * of meters, and nothing else: nothing traces, and the application changes nothing
	 * about them.
	 */
	boolean isTimersOnly() {
		return this.beanFactory.getBeanProvider(MeterRegistry.class).getIfUnique() != null && isRegistryOfBoot()
				&& isTimedOnly() && isUnchanged() && isNotConfigured();
	}

	/** A registry of the application may have handlers of its own. */
	private boolean isRegistryOfBoot() {
		ObservationRegistry registry = this.beanFactory.getBeanProvider(ObservationRegistry.class).getIfUnique();
		return registry != null && BeansOfBoot.isMade(this.beanFactory, ObservationRegistry.class, registry);
	}

	private boolean isTimedOnly() {
		Collection<?> handlers = all(ObservationHandler.class);
		return handlers.size() == 1 && handlers.stream()
			.allMatch((handler) -> handler.getClass() == DefaultMeterObservationHandler.class
					&& BeansOfBoot.isMade(this.beanFactory, ObservationHandler.class, handler));
	}

	private boolean isUnchanged() {
		for (String name : CHANGES) {
			if (ClassUtils.isPresent(name, this.beanFactory.getBeanClassLoader())
					&& has(ClassUtils.resolveClassName(name, this.beanFactory.getBeanClassLoader()))) {
				return false;
			}
		}
		return !has(LockObservationConvention.class) && !has(ObservationFilter.class)
				&& !has(ObservationPredicate.class);
	}

	/** Return whether there is such a bean, other than those of Spring Boot. */
	private boolean has(Class<?> type) {
		return all(type).stream().anyMatch((bean) -> !bean.getClass().getName().startsWith(BOOT));
	}

	private Collection<?> all(Class<?> type) {
		return BeanFactoryUtils.beansOfTypeIncludingAncestors(this.beanFactory, type).values();
	}

	private boolean isNotConfigured() {
		return texts("key-values").isEmpty() && texts("enable").keySet().stream().noneMatch(ObservationUse::isOfLocks);
	}

	private Map<String, String> texts(String name) {
		Map<String, String> found = this.properties.bind("management.observations." + name, TEXTS).orElse(null);
		return (found != null) ? found : Map.of();
	}

	private static boolean isOfLocks(String prefix) {
		if (prefix.equals("all")) {
			return true;
		}
		for (LockObservation observation : LockObservation.values()) {
			if (observation.getName().startsWith(prefix)) {
				return true;
			}
		}
		return false;
	}

}
