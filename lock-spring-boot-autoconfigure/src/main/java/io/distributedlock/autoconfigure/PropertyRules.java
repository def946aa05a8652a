package io.distributedlock.autoconfigure;

import java.util.Locale;
import java.util.function.Supplier;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.env.Environment;

/**
 * Rules that a single setting cannot check, and the name of the property that a setting
 * comes from. The values themselves are checked by the settings that are made of them.
 */
final class PropertyRules {

	private PropertyRules() {
	}

	/**
	 * Make settings, and name the property whose value they refuse.
	 * @param prefix what comes before the name of the setting
	 * @param settings makes the settings
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
			case "shutdownGrace" -> prefix + "grace-period";
			default -> prefix + DataObjectPropertyName.toDashedForm(setting);
		};
	}

	/**
	 * Binding forgives blanks and dashes in a choice, and the conditions of what is to be
	 * configured do not.
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
