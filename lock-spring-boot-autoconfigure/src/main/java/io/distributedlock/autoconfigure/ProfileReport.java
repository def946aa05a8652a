package io.distributedlock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.actuate.LockSetting;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The settings in force of all profiles, with their origins. A setting without a property
 * is a default, or from a bean of the application. Without a {@link LockProfiles} bean
 * there are none: a registry of the application tells no profiles, and the properties
 * have no effect on it.
 */
final class ProfileReport implements Supplier<Map<String, Map<String, LockSetting>>> {

	private final @Nullable LockProfiles profiles;

	private final ConfigurableEnvironment environment;

	ProfileReport(@Nullable LockProfiles profiles, ConfigurableEnvironment environment) {
		this.profiles = profiles;
		this.environment = environment;
	}

	@Override
	public Map<String, Map<String, LockSetting>> get() {
		return (this.profiles != null) ? settings(this.profiles) : Map.of();
	}

	private Map<String, Map<String, LockSetting>> settings(LockProfiles profiles) {
		Map<String, Map<String, LockSetting>> all = new TreeMap<>();
		LockOptions global = profiles.resolve("", LockOptions.NONE);
		all.put("", settings(global, DistributedLockProperties.PREFIX + "."));
		for (String name : profiles.names()) {
			all.put(name, settings(profiles.ownOptions(name, LockOptions.NONE), LockProfilesFactory.prefix(name)));
		}
		return all;
	}

	private Map<String, LockSetting> settings(LockOptions options, String prefix) {
		Map<String, LockSetting> settings = new LinkedHashMap<>();
		add(settings, prefix, "ttl", options.ttl());
		add(settings, prefix, "wait", options.waitFor());
		add(settings, prefix, "renew", options.renew());
		add(settings, prefix, "max-hold", options.maxHold());
		add(settings, prefix, "keep-for", options.keepFor());
		add(settings, prefix, "lock-delay", options.lockDelay());
		add(settings, prefix, "mode", options.mode());
		add(settings, prefix, "permits", options.permits());
		add(settings, prefix, "take", options.take());
		add(settings, prefix, "when-busy", options.whenBusy());
		add(settings, prefix, "when-lost", options.whenLost());
		add(settings, prefix, "when-unavailable", options.whenUnavailable());
		return settings;
	}

	private void add(Map<String, LockSetting> settings, String prefix, String name, @Nullable Object value) {
		if (value != null) {
			String text = (value instanceof Enum<?> choice) ? choice.name().toLowerCase(Locale.ROOT) : value.toString();
			settings.put(name, new LockSetting(text, origin(prefix + name)));
		}
	}

	private String origin(String property) {
		ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property);
		if (name != null) {
			for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
				ConfigurationProperty found = source.getConfigurationProperty(name);
				if (found != null) {
					return (found.getOrigin() != null) ? found.getOrigin().toString()
							: String.valueOf(source.getUnderlyingSource());
				}
			}
		}
		return "default";
	}

}
