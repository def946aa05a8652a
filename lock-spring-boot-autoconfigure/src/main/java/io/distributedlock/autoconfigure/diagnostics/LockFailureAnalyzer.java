package io.distributedlock.autoconfigure.diagnostics;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.event.LockObserver;
import io.distributedlock.interceptor.InvalidLockDeclarationException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Explains why an application with locks does not start, and the remedy, by a table of
 * exceptions. Comes before the general analyzers, which know less about the locks.
 */
final class LockFailureAnalyzer extends AbstractFailureAnalyzer<Throwable> implements Ordered {

	private static final String PREFIX = "distributed-lock";

	private static final String PROBLEM = "The locks cannot be configured:";

	/** The names of the auto-configuration's beans by their types. */
	private static final Map<String, String> REPLACED = Map.of("io.distributedlock.LockRegistry",
			"distributedLockRegistry", "io.distributedlock.engine.DefaultLockRegistry", "distributedLockRegistry",
			"io.distributedlock.store.LockStore", "distributedLockStore", "io.distributedlock.LockTemplate",
			"distributedLockTemplate", "io.distributedlock.reactive.ReactiveLockTemplate",
			"distributedLockReactiveTemplate");

	private final List<Row<?>> table = List.of(
			new Row<>(InvalidLockDeclarationException.class,
					(ex) -> new FailureAnalysis(ex.getDescription(), ex.getRemedy(), ex)),
			new Row<>(InvalidLockPropertyException.class, this::invalid),
			new Row<>(LockStoreException.class,
					(ex) -> new FailureAnalysis("The store of the distributed locks failed:\n\n    " + ex.getMessage(),
							"Check that it runs, and the settings of the application for it.", ex)),
			new Row<>(ConfigurationPropertiesBindException.class, LockFailureAnalyzer::unbound),
			new Row<>(BindException.class, LockFailureAnalyzer::mode),
			new Row<>(NoUniqueBeanDefinitionException.class, LockFailureAnalyzer::several),
			new Row<>(NoSuchBeanDefinitionException.class, this::switchedOff));

	private final Environment environment;

	LockFailureAnalyzer(Environment environment) {
		this.environment = environment;
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

	private FailureAnalysis invalid(InvalidLockPropertyException invalid) {
		String value = "\n    Value: \"" + invalid.getValue() + "\"";
		return new FailureAnalysis(PROBLEM
				+ describe(invalid.getProperty(), value, origin(invalid.getProperty()), "it " + invalid.getProblem()),
				invalid.getRemedy() + ".", invalid);
	}

	/**
	 * Explain unknown properties, without values: the value of a misspelt name may be a
	 * password.
	 */
	private static @Nullable FailureAnalysis unbound(ConfigurationPropertiesBindException failure) {
		if (!failure.getAnnotation().prefix().equals(PREFIX)
				|| !(failure.getRootCause() instanceof UnboundConfigurationPropertiesException unbound)) {
			return null;
		}
		PropertyNames names = new PropertyNames(failure.getBeanType(), PREFIX);
		return new FailureAnalysis(
				unbound.getUnboundProperties()
					.stream()
					.map((property) -> describe(property.getName(), "", property.getOrigin(),
							"there is no such property, or it has no value" + nearest(names, property)))
					.collect(Collectors.joining("", PROBLEM, "")),
				"Correct the name, give it a value, or remove it. The name of a lock that has more than letters, digits "
						+ "and dashes is in brackets: distributed-lock.locks[a.b].ttl.",
				failure);
	}

	/**
	 * Explain {@code write} and {@code default}, which are no modes; the general analyzer
	 * only lists the modes.
	 */
	private static @Nullable FailureAnalysis mode(BindException failure) {
		ConfigurationProperty property = failure.getProperty();
		if (property == null || failure.getTarget().getType().resolve() != LockMode.class) {
			return null;
		}
		String remedy = switch (property.getValue().toString().toLowerCase(Locale.ROOT)) {
			case "write" -> "Write exclusive: a writer has the lock alone.";
			case "default" -> "Leave the property out: the mode is then what the code says.";
			default -> null;
		};
		String value = "\n    Value: \"" + property.getValue() + "\"";
		return (remedy != null) ? new FailureAnalysis(
				PROBLEM + describe(property.getName(), value, property.getOrigin(), "there is no such mode"), remedy,
				failure) : null;
	}

	private static String nearest(PropertyNames names, ConfigurationProperty unbound) {
		return names.nearest(unbound.getName()).map((name) -> ". The nearest is " + name).orElse("");
	}

	private static String describe(Object name, String value, @Nullable Object origin, String reason) {
		return "\n\n    Property: %s%s\n    Origin: %s\n    Reason: %s".formatted(name, value,
				(origin != null) ? origin : "unknown", reason);
	}

	/**
	 * Return the origin of a property. An element of a list may come from one text for
	 * all elements, and a list from its first element. A value that a bean has in place
	 * of the property has none.
	 */
	private @Nullable Object origin(String property) {
		if (!ConfigurationPropertyName.isValid(property)) {
			return null;
		}
		ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
		ConfigurationPropertyName related = name.isLastElementIndexed() ? name.getParent() : name.append("[0]");
		return StreamSupport.stream(ConfigurationPropertySources.get(this.environment).spliterator(), false)
			.flatMap((source) -> List.of(name, related).stream().map(source::getConfigurationProperty))
			.filter(Objects::nonNull)
			.findFirst()
			.map(ConfigurationProperty::getOrigin)
			.orElse(null);
	}

	/**
	 * Explain several candidates; the general analyzer names neither the type nor the
	 * remedies.
	 */
	private static @Nullable FailureAnalysis several(NoUniqueBeanDefinitionException failure) {
		Class<?> type = failure.getBeanType();
		if (type == LockObserver.class) {
			return new FailureAnalysis(
					"A lock registry has one LockObserver, and there are beans " + failure.getBeanNamesFound() + ".",
					"Mark one of them as @Primary, or declare a single one that calls the others.", failure);
		}
		if (type == null || !REPLACED.containsKey(type.getName())) {
			return null;
		}
		return new FailureAnalysis(
				"Several beans are candidates where a %s is injected by its type: %s.".formatted(type.getSimpleName(),
						failure.getBeanNamesFound()),
				("Name the application's own bean '%s', and it replaces the one of the auto-configuration. Or keep it "
						+ "beside that one: declare it by @Bean(defaultCandidate = false), and choose it by @Qualifier "
						+ "and by @DistributedLock(registry = \"…\"). Or mark it as @Primary: then it counts wherever no "
						+ "registry is named.")
					.formatted(REPLACED.get(type.getName())),
				failure);
	}

	/**
	 * Explain a missing bean of the locks; the general analyzer does not know the switch.
	 */
	private @Nullable FailureAnalysis switchedOff(NoSuchBeanDefinitionException failure) {
		Class<?> type = failure.getBeanType();
		boolean missing = type != null && type.getName().startsWith("io.distributedlock.")
				&& failure.getNumberOfBeansFound() == 0;
		return (missing && "false".equalsIgnoreCase(this.environment.getProperty("distributed-lock.enabled")))
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
