package io.distributedlock.autoconfigure.diagnostics;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import io.distributedlock.annotation.DistributedLockFinder;
import io.distributedlock.interceptor.GuardedBeansCheck;
import io.distributedlock.text.LockLog;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * Warns of annotated beans that run without their locks, since the context lacks the
 * auto-configuration, as in a test of a slice. Also warns of beans of child contexts,
 * which the locks of the parent do not reach. It is a listener of the application, since
 * the beans of the library are missing. With the auto-configuration it only looks for one
 * bean by name.
 */
final class UnguardedMethodsWarning implements ApplicationListener<ContextRefreshedEvent> {

	/** Bean of each context in which one of the auto-configurations ran. */
	private static final String MARKER = "distributedLockWeavingSwitch";

	private static final String REMEDY = "Where it is excluded, remove the exclusion. In a test of a slice, add "
			+ "@ImportAutoConfiguration(DistributedLockAutoConfiguration.class) and the property "
			+ "distributed-lock.store=memory.";

	private static final String CHILD_REMEDY = "Declare them in the parent context, or import "
			+ "DistributedLockAutoConfiguration into the child.";

	private static final LockLog logger = LockLog.of(UnguardedMethodsWarning.class);

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext context = event.getApplicationContext();
		if (!context.containsLocalBean(MARKER) && context instanceof ConfigurableApplicationContext configurable
				&& !hasOther(context)) {
			if (context.containsBean(MARKER)) {
				context.getBeanProvider(GuardedBeansCheck.class)
					.ifAvailable((check) -> warnOfChild(context, check.unguardedBeans(configurable.getBeanFactory())));
			}
			else {
				warn(guardedClasses(configurable.getBeanFactory()));
			}
		}
	}

	/**
	 * Return whether the context has another such listener: its event also comes to its
	 * parents.
	 */
	private boolean hasOther(ApplicationContext context) {
		Collection<ApplicationListener<?>> own = (context instanceof AbstractApplicationContext known)
				? known.getApplicationListeners() : List.of();
		return !own.contains(this) && own.stream().anyMatch(UnguardedMethodsWarning.class::isInstance);
	}

	private static void warn(List<String> unguarded) {
		if (!unguarded.isEmpty()) {
			logger.warn(
					"Methods with @DistributedLock run WITHOUT a lock, because the auto-configuration of the locks is "
							+ "not part of this application context: " + unguarded + ". " + REMEDY);
		}
	}

	private static void warnOfChild(ApplicationContext context, List<String> unguarded) {
		if (!unguarded.isEmpty()) {
			logger.warn(
					"Methods with @DistributedLock of the child context '%s' run WITHOUT a lock, because the locks of its parent do not reach its beans: %s. %s"
						.formatted(context.getDisplayName(), unguarded, CHILD_REMEDY));
		}
	}

	private static List<String> guardedClasses(ConfigurableListableBeanFactory beans) {
		return Arrays.stream(beans.getBeanDefinitionNames())
			.map((name) -> beans.getType(name, false))
			.filter(Objects::nonNull)
			.map(ClassUtils::getUserClass)
			.distinct()
			.filter((type) -> !DistributedLockFinder.guardedMethods(type).isEmpty())
			.map(Class::getName)
			.sorted()
			.toList();
	}

}
