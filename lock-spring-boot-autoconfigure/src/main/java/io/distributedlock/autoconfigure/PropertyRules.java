package io.distributedlock.autoconfigure;

import java.util.Locale;
import java.util.function.Supplier;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.env.Environment;

/**
 * Rules for the spelling of properties, and the names of the properties of refused
 * settings. The classes of the settings check the values.
 */
final class PropertyRules {

	private PropertyRules() {
	}

	/**
	 * Create settings, and name the property if they refuse its value.
	 * @param prefix the prefix of the property
	 * @param settings the factory of the settings
	 */
	static <S> S named(String prefix, Supplier<S> settings) {
		try {
			return settings.get();
		}
		catch (InvalidSettingException ex) {
			throw new InvalidLockPropertyException(property(prefix, ex.getSetting()), ex);
		}
	}

	private static String property(String prefix, String setting) {
		return switch (setting) {
			case "waitFor" -> prefix + "wait";
			case "keyPrefix" -> DistributedLockProperties.PREFIX + ".key-prefix";
			case "retention" -> prefix + "token-retention";
			case "shutdownGrace" -> prefix + "grace-period";
			default -> prefix + DataObjectPropertyName.toDashedForm(setting);
		};
	}

	/**
	 * Refuse blanks and dashes in a choice: binding ignores them, but the conditions of
	 * the configuration do not.
	 */
	static void spelling(String name, Environment environment, Enum<?> choice) {
		String property = DistributedLockProperties.PREFIX + "." + name;
		String written = environment.getProperty(property);
		if (written != null && !written.equalsIgnoreCase(choice.name())) {
			throw misspelt(property, written, choice.name().toLowerCase(Locale.ROOT));
		}
	}

	static InvalidLockPropertyException misspelt(String property, String written, String choice) {
		return new InvalidLockPropertyException(property, written, "is no spelling that is understood everywhere",
				"Write %s, without blanks around it".formatted(choice), null);
	}

}
