package io.distributedlock.autoconfigure.diagnostics;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Explains why there is no bean of the locks, or not a single one. The general analyses
 * know neither the switch nor the names of the starter's beans.
 */
final class BeanFailures {

	private static final String ENABLED = PropertyFailures.PREFIX + ".enabled";

	/** What the auto-configuration has beans of. */
	private static final Set<String> TYPES = Set.of("LockRegistry", "DefaultLockRegistry", "LockOperations",
			"LockTemplate", "ReactiveLockOperations", "ReactiveLockTemplate", "LockStore", "LockProfiles");

	private static final String REPLACE = """

			- If '%s' is to replace the one of the starter, name it %s.""";

	private static final String ADD = """

			- If '%1$s' is a second one, declare it with @Bean(defaultCandidate = false) and inject it with \
			@Qualifier("%1$s").%2$s
			- Mark the one that counts where none is named with @Primary.""";

	private static final String CHOOSE = " Guarded methods choose a second registry by @DistributedLock(registry = \"%s\").";

	private final BeanFactory beanFactory;

	private final Environment environment;

	BeanFailures(BeanFactory beanFactory, Environment environment) {
		this.beanFactory = beanFactory;
		this.environment = environment;
	}

	@Nullable FailureAnalysis explain(NoSuchBeanDefinitionException cause, @Nullable String injectionPoint) {
		Class<?> type = cause.getBeanType();
		if (type == null || !type.getName().startsWith("io.distributedlock.")
				|| !TYPES.contains(type.getSimpleName())) {
			return null;
		}
		if (cause instanceof NoUniqueBeanDefinitionException several) {
			return several(type, Objects.requireNonNullElse(several.getBeanNamesFound(), List.of()), cause);
		}
		String required = "%s required a bean of type '%s', but there is none, because "
			.formatted((injectionPoint != null) ? injectionPoint : "A component", type.getName());
		if ("false".equalsIgnoreCase(this.environment.getProperty(ENABLED))) {
			return new FailureAnalysis(required + "%s is false.".formatted(ENABLED),
					"Remove %s=false, or inject an ObjectProvider and do without the lock. ".formatted(ENABLED)
							+ "In tests, distributed-lock.store=memory keeps the beans without a server.",
					cause);
		}
		return this.beanFactory.containsBean(UnguardedMethodsWarning.MARKER) ? null
				: new FailureAnalysis(required + "the auto-configuration of the locks is not part of this context.",
						UnguardedMethodsWarning.REMEDY, cause);
	}

	private static FailureAnalysis several(Class<?> type, Collection<String> names, Throwable cause) {
		List<String> sorted = names.stream().sorted().toList();
		String starters = sorted.stream().filter((name) -> name.startsWith("distributedLock")).findAny().orElse("");
		String other = sorted.stream().filter((name) -> !name.equals(starters)).findFirst().orElse("");
		return new FailureAnalysis(
				"There are several beans of type '%s' and none comes first: %s.".formatted(type.getName(),
						String.join(", ", sorted)),
				"Do one of these:\n" + (starters.isEmpty() ? "" : REPLACE.formatted(other, starters)) + ADD
					.formatted(other, type.getSimpleName().endsWith("Registry") ? CHOOSE.formatted(other) : ""),
				cause);
	}

}
