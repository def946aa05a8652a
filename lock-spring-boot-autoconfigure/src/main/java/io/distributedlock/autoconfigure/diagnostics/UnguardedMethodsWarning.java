package io.distributedlock.autoconfigure.diagnostics;

import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.text.LockLog;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Says of an application that does not have the auto-configuration of the locks, as in a
 * test of a slice, which of its beans run without the locks that they are annotated with.
 * A listener of the application, since beans of the library are what is missing. Where
 * the auto-configuration is there, it looks for one bean by name and nothing else.
 */
final class UnguardedMethodsWarning implements ApplicationListener<ContextRefreshedEvent> {

	/** A bean that is there wherever one of the auto-configurations ran. */
	private static final String MARKER = "distributedLockWeavingSwitch";

	private static final String REMEDY = "Where it is excluded, remove the exclusion. In a test of a slice, add "
			+ "@ImportAutoConfiguration(DistributedLockAutoConfiguration.class) and the property "
			+ "distributed-lock.store=memory.";

	private static final LockLog logger = LockLog.of(UnguardedMethodsWarning.class);

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext context = event.getApplicationContext();
		if (context.containsBean(MARKER) || !(context instanceof ConfigurableApplicationContext configurable)) {
			return;
		}
		List<String> unguarded = guardedClasses(configurable.getBeanFactory());
		if (!unguarded.isEmpty()) {
			logger.warn(
					"Methods with @DistributedLock run WITHOUT a lock, because the auto-configuration of the locks is "
							+ "not part of this application context: " + unguarded + ". " + REMEDY);
		}
	}

	private static List<String> guardedClasses(ConfigurableListableBeanFactory beans) {
		return Arrays.stream(beans.getBeanDefinitionNames())
			.map((name) -> beans.getType(name, false))
			.filter(Objects::nonNull)
			.map(ClassUtils::getUserClass)
			.filter(UnguardedMethodsWarning::isGuarded)
			.map(Class::getName)
			.distinct()
			.sorted()
			.toList();
	}

	private static boolean isGuarded(Class<?> type) {
		return isAnnotated(type) || Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
			.anyMatch(UnguardedMethodsWarning::isAnnotated);
	}

	private static boolean isAnnotated(AnnotatedElement element) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLock.class);
	}

}
