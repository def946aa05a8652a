package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Says of a missing bean of the locks that they are switched off. Comes before the
 * general analysis, which proposes to define the bean.
 */
final class LocksDisabledFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException>
		implements Ordered {

	private static final String ENABLED = DistributedLockProperties.PREFIX + ".enabled";

	private final Environment environment;

	LocksDisabledFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	public int getOrder() {
		return 0;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause,
			@Nullable String description) {
		Class<?> type = cause.getBeanType();
		if (type == null || !type.getName().startsWith("io.distributedlock.")
				|| !"false".equalsIgnoreCase(this.environment.getProperty(ENABLED))) {
			return null;
		}
		return new FailureAnalysis(
				"%s required a bean of type '%s', but there is none, because %s is false."
					.formatted((description != null) ? description : "A component", type.getName(), ENABLED),
				"Remove %s=false, or inject an ObjectProvider and do without the lock. ".formatted(ENABLED)
						+ "In tests, distributed-lock.store=memory keeps the beans without a server.",
				cause);
	}

}
