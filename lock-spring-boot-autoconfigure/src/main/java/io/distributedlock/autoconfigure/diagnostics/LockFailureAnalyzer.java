package io.distributedlock.autoconfigure.diagnostics;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import io.distributedlock.LockStoreException;
import io.distributedlock.interceptor.InvalidLockDeclarationException;
import io.distributedlock.redis.MissingPermissionsException;
import io.distributedlock.redis.UnsuitableServerException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Explains what keeps an application with locks from starting, and the remedy: a table of
 * exceptions. Comes before the general analyses, which know less about the locks.
 */
final class LockFailureAnalyzer extends AbstractFailureAnalyzer<Throwable> implements Ordered {

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

	LockFailureAnalyzer(Environment environment) {
		this.table = List.of(
				new Row<>(InvalidLockDeclarationException.class,
						(ex) -> new FailureAnalysis(ex.getDescription(), ex.getRemedy(), ex)),
				new Row<>(InvalidLockPropertyException.class, (ex) -> PropertyFailures.invalid(ex, environment)),
				new Row<>(NoLockStoreException.class,
						(ex) -> new FailureAnalysis("There is no store for distributed locks: " + ex.getMessage(),
								WAYS_OUT.formatted(ex.getRemedy()), ex)),
				new Row<>(LockStoreException.class,
						(ex) -> new FailureAnalysis(
								"Distributed locks cannot work with this Redis:\n\n    " + ex.getMessage(), remedy(ex),
								ex)),
				new Row<>(ConfigurationPropertiesBindException.class, PropertyFailures::unbound),
				new Row<>(NoSuchBeanDefinitionException.class, (ex) -> switchedOff(ex, environment)));
	}

	@Override
	public int getOrder() {
		return 0;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, Throwable cause) {
		return this.table.stream()
			.map((row) -> explain(row, rootFailure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	private <E extends Throwable> @Nullable FailureAnalysis explain(Row<E> row, Throwable failure) {
		E found = findCause(failure, row.type());
		return (found != null) ? row.explanation().apply(found) : null;
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
	 * Why there is no bean of the locks; the general analysis does not know the switch.
	 */
	private static @Nullable FailureAnalysis switchedOff(NoSuchBeanDefinitionException failure,
			Environment environment) {
		Class<?> type = failure.getBeanType();
		boolean missing = type != null && type.getName().startsWith("io.distributedlock.")
				&& failure.getNumberOfBeansFound() == 0;
		return (missing && "false".equalsIgnoreCase(environment.getProperty("distributed-lock.enabled")))
				? new FailureAnalysis(failure.getMessage() + ", because distributed-lock.enabled is false.",
						"Remove distributed-lock.enabled=false, or inject an ObjectProvider and do without the lock. "
								+ "In tests, distributed-lock.store=memory keeps the beans without a server.",
						failure)
				: null;
	}

	/**
	 * Explains one type of exception.
	 *
	 * @param type the type to look for among the causes
	 * @param explanation makes the analysis, or {@code null} to leave it to others
	 */
	private record Row<E extends Throwable>(Class<E> type, Function<E, @Nullable FailureAnalysis> explanation) {
	}

}
