package io.distributedlock.autoconfigure.diagnostics;

import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;

import io.distributedlock.LockStoreException;
import io.distributedlock.interceptor.InvalidLockDeclarationException;
import io.distributedlock.redis.MissingPermissionsException;
import io.distributedlock.redis.UnsuitableServerException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Explains what keeps an application with locks from starting, and the remedy: a table of
 * exceptions. Comes before the general analyses, which know less about the locks.
 */
final class LockFailureAnalyzer extends AbstractInjectionFailureAnalyzer<Throwable> implements Ordered {

	private static final String WAYS_OUT = """
			Do one of these:

			    - %s
			    - For tests, or where there is only one process, set distributed-lock.store=memory.
			    - Declare a LockStore bean named distributedLockStore.
			    - Set distributed-lock.enabled=false; annotated methods then run WITHOUT a lock.""";

	private static final String PERMISSIONS = """
			Allow it:

			    %s

			That is all that the check has found missing. All that locks need, at once:

			    %s

			A Redis that reads its users from a file needs it there.""";

	private final List<Row<?>> table;

	LockFailureAnalyzer(BeanFactory beanFactory, Environment environment) {
		BeanFailures beans = new BeanFailures(beanFactory, environment);
		this.table = List.of(
				new Row<>(InvalidLockDeclarationException.class,
						(ex, injected) -> new FailureAnalysis(ex.getDescription(), ex.getRemedy(), ex)),
				new Row<>(InvalidLockPropertyException.class,
						(ex, injected) -> PropertyFailures.invalid(ex, environment)),
				new Row<>(NoLockStoreException.class,
						(ex, injected) -> new FailureAnalysis(
								"There is no store for distributed locks: " + ex.getMessage(),
								WAYS_OUT.formatted(ex.getRemedy()), ex)),
				new Row<>(LockStoreException.class,
						(ex, injected) -> new FailureAnalysis(
								"Distributed locks cannot work with this Redis:\n\n    " + ex.getMessage(), remedy(ex),
								ex)),
				new Row<>(ConfigurationPropertiesBindException.class, (ex, injected) -> PropertyFailures.unbound(ex)),
				new Row<>(NoSuchBeanDefinitionException.class, beans::explain));
	}

	@Override
	public int getOrder() {
		return 0;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, Throwable cause,
			@Nullable String injectionPoint) {
		return this.table.stream()
			.map((row) -> explain(row, rootFailure, injectionPoint))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	private <E extends Throwable> @Nullable FailureAnalysis explain(Row<E> row, Throwable failure,
			@Nullable String injectionPoint) {
		E found = findCause(failure, row.type());
		return (found != null) ? row.explanation().apply(found, injectionPoint) : null;
	}

	private static String remedy(LockStoreException failure) {
		if (failure instanceof UnsuitableServerException unsuitable) {
			return StringUtils.capitalize(unsuitable.getRemedy()) + ".";
		}
		return (failure instanceof MissingPermissionsException missing)
				? PERMISSIONS.formatted(missing.getRemedy(), missing.getWholeRemedy())
				: "Check spring.data.redis.*: the address, the user, the password, and that it is the right server.";
	}

	/**
	 * Explains one type of exception.
	 *
	 * @param type the type to look for among the causes
	 * @param explanation makes the analysis, of the exception and the description of the
	 * injection point that failed; {@code null} leaves the exception to others
	 */
	private record Row<E extends Throwable>(Class<E> type,
			BiFunction<E, @Nullable String, @Nullable FailureAnalysis> explanation) {
	}

}
