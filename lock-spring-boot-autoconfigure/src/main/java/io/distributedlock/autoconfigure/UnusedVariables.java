package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds environment variables that look like a setting of the locks but have no effect.
 * Their name is misspelt, or means a lock whose name no variable can express. Spring Boot
 * ignores them silently. Variables that Kubernetes makes for a service named
 * {@code distributed-lock} are left out.
 */
final class UnusedVariables {

	private static final LockLog logger = LockLog.of(UnusedVariables.class);

	private static final Pattern OURS = Pattern.compile("DISTRIBUTED_?LOCK_.+", Pattern.CASE_INSENSITIVE);

	private static final Pattern OF_A_SERVICE = Pattern
		.compile(".*_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

	private UnusedVariables() {
	}

	/**
	 * Log one warning, without values: the value of a misspelt name may be a password.
	 */
	static void warn(ConfigurableEnvironment environment) {
		Set<String> unused = new TreeSet<>();
		environment.getPropertySources()
			.stream()
			.filter(SystemEnvironmentPropertySource.class::isInstance)
			.map(SystemEnvironmentPropertySource.class::cast)
			.forEach((variables) -> unused.addAll(unused(variables, environment)));
		if (!unused.isEmpty()) {
			logger
				.warn("The environment variables %s have no effect by themselves: no setting of the locks has such a name, unless a placeholder uses it. "
					.formatted(unused)
						+ "Leave out the dashes of a setting (DISTRIBUTEDLOCK_REDIS_COMMANDTIMEOUT), and write the settings of "
						+ "one lock as DISTRIBUTEDLOCK_LOCKS_ORDERS_TTL, where its name has small letters and digits only; "
						+ "settings of other names belong into application.yml");
		}
	}

	private static Set<String> unused(SystemEnvironmentPropertySource variables, ConfigurableEnvironment environment) {
		Set<String> names = new TreeSet<>();
		Arrays.stream(variables.getPropertyNames())
			.filter((name) -> OURS.matcher(name).matches() && !OF_A_SERVICE.matcher(name).matches())
			.forEach(names::add);
		ConfigurationPropertySource source = ConfigurationPropertySource.from(variables);
		if (!names.isEmpty() && source != null) {
			// A variable may belong to a lock whose name another source has: the
			// variables come first, then all.
			List<ConfigurationPropertySource> sources = new ArrayList<>();
			sources.add(source);
			ConfigurationPropertySources.get(environment).forEach(sources::add);
			Binder binder = new Binder(sources, new PropertySourcesPlaceholdersResolver(environment));
			binder.bind(DistributedLockProperties.PREFIX, Bindable.of(DistributedLockProperties.class),
					new Used(names));
		}
		return names;
	}

	/** Removes the variables that were bound, also those with a wrong value. */
	private record Used(Set<String> names) implements BindHandler {

		@Override
		public Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Object result) {
			remove(context);
			return result;
		}

		@Override
		public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Exception error) {
			remove(context);
			return null;
		}

		private void remove(BindContext context) {
			ConfigurationProperty bound = context.getConfigurationProperty();
			if (bound != null && bound.getOrigin() instanceof PropertySourceOrigin origin) {
				this.names.remove(origin.getPropertyName());
			}
		}

	}

}
