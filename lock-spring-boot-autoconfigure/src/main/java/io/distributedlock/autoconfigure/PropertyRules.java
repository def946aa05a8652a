package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * What is demanded of single values, whatever else is configured.
 */
final class PropertyRules {

	/**
	 * Blanks and control characters, hash tags, and what a glob of an ACL would match.
	 */
	private static final Pattern UNSAFE_IN_PREFIX = Pattern.compile("[\\s\\p{Cntrl}{}*?\\[\\]\\\\^]");

	private PropertyRules() {
	}

	static <D extends @Nullable Duration> D between(String property, D value, Duration least, Duration most) {
		if (value != null && (value.compareTo(least) < 0 || value.compareTo(most) > 0)) {
			throw new InvalidLockPropertyException(property, value, "is out of range",
					"Use a duration from %s to %s; a number without a unit is milliseconds"
						.formatted(DurationText.of(least), DurationText.of(most)));
		}
		return value;
	}

	static <D extends @Nullable Duration> D notNegative(String property, D value) {
		if (value != null && value.isNegative()) {
			throw new InvalidLockPropertyException(property, value, "is negative",
					"Use 0 for not waiting at all, or a positive duration");
		}
		return value;
	}

	static String prefix(String property, String value) {
		if (!StringUtils.hasLength(value) || UNSAFE_IN_PREFIX.matcher(value).find()) {
			throw new InvalidLockPropertyException(property, value,
					"is empty or contains a blank, a control character or one of { } [ ] * ? \\ ^",
					"Use a plain prefix such as lock: or orders:lock:, the same on all instances");
		}
		return value;
	}

	static String profileName(String property, String name) {
		if (!name.equals(name.strip()) || name.isEmpty()) {
			throw new InvalidLockPropertyException(property, name, "is blank or has blanks around it",
					"Use the name of a lock exactly as in @DistributedLock(name = ...)");
		}
		return name;
	}

}
