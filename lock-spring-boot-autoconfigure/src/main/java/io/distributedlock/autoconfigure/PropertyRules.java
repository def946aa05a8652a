package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import io.distributedlock.LockOptions;
import io.distributedlock.autoconfigure.diagnostics.DurationText;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.autoconfigure.diagnostics.MaskedAddress;
import io.distributedlock.redis.ReplicaAcks;
import io.distributedlock.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Rules for single values, whatever else is configured.
 */
final class PropertyRules {

	/**
	 * Blanks, what cannot be seen, half characters, hash tags, and what a glob of an ACL
	 * would match.
	 */
	private static final Pattern UNSAFE_IN_PREFIX = Pattern.compile("[\\s\\p{Z}\\p{Cc}\\p{Cf}\\p{Cs}{}*?\\[\\]\\\\^]");

	private static final int LONGEST_PREFIX = 200;

	private static final String PREFIX_REMEDY = "Use a plain prefix such as lock: or orders:lock:, the same on all instances";

	private static final Log logger = LogFactory.getLog(PropertyRules.class);

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

	static int replicas(String property, int value) {
		if (value < 0 || value > ReplicaAcks.MOST) {
			throw new InvalidLockPropertyException(property, value, "is out of range",
					"Use 0 to wait for no replica, or a number of replicas up to %d".formatted(ReplicaAcks.MOST));
		}
		return value;
	}

	static Duration shorterThan(String property, Duration value, String limitProperty, Duration limit) {
		if (value.compareTo(limit) >= 0) {
			throw new InvalidLockPropertyException(property, value,
					"is not shorter than %s=%s".formatted(limitProperty, DurationText.of(limit)),
					"Make it shorter, or %s longer".formatted(limitProperty));
		}
		return value;
	}

	/** Waiting for replicas must not be thought to happen where it cannot. */
	static void noReplicas(String property, int value, String store) {
		if (value != 0) {
			throw new InvalidLockPropertyException(property, value,
					"cannot work with distributed-lock.store=%s".formatted(store), "Remove it, or use store redis");
		}
	}

	/**
	 * Nodes without the store redlock would look like a quorum that does not exist. Its
	 * other settings are tolerated: an inherited one cannot be set to nothing.
	 */
	static void noNodes(DistributedLockProperties properties) {
		List<String> nodes = properties.redlock().nodes();
		if (!nodes.isEmpty() && properties.store() != DistributedLockProperties.Store.REDLOCK) {
			throw new InvalidLockPropertyException(DistributedLockProperties.PREFIX + ".redlock.nodes",
					MaskedAddress.of(nodes),
					"has no effect, since distributed-lock.store is "
							+ properties.store().name().toLowerCase(Locale.ROOT),
					"Set distributed-lock.store=redlock, or remove the nodes. Where they are inherited, as tests inherit "
							+ "them from the application, set distributed-lock.redlock.nodes to nothing");
		}
	}

	/** A bean of the application's own takes the place of what is configured. */
	static void storeHasEffect(LockStore store, DistributedLockProperties properties, Environment environment) {
		String property = DistributedLockProperties.PREFIX + ".store";
		String configured = properties.store().name();
		if (environment.containsProperty(property)
				&& !StringUtils.startsWithIgnoreCase(store.getClass().getSimpleName(), configured)) {
			logger.warn("%s=%s has no effect, nor have the settings for it: the locks are kept by the bean %s, a %s"
				.formatted(property, configured.toLowerCase(Locale.ROOT), LockBeanNames.STORE,
						store.getClass().getName()));
		}
	}

	static <D extends @Nullable Duration> D notNegative(String property, D value) {
		if (value != null && value.isNegative()) {
			throw new InvalidLockPropertyException(property, value, "is negative",
					"Use 0 for not waiting at all, or a positive duration");
		}
		return value;
	}

	static @Nullable Integer permits(String property, @Nullable Integer value) {
		if (value != null && (value < 1 || value > LockOptions.MAX_PERMITS)) {
			throw new InvalidLockPropertyException(property, value, "is out of range",
					"Use a number from 1 to %d".formatted(LockOptions.MAX_PERMITS));
		}
		return value;
	}

	static String prefix(String property, String value) {
		if (!StringUtils.hasLength(value) || UNSAFE_IN_PREFIX.matcher(value).find()) {
			throw new InvalidLockPropertyException(property, value,
					"is empty or contains a blank, a control character or one of { } [ ] * ? \\ ^", PREFIX_REMEDY);
		}
		if (value.length() > LONGEST_PREFIX) {
			throw new InvalidLockPropertyException(property, value.substring(0, LONGEST_PREFIX) + "…",
					"is longer than %d characters".formatted(LONGEST_PREFIX), PREFIX_REMEDY);
		}
		if (!value.endsWith(":") || value.contains("::")) {
			throw new InvalidLockPropertyException(property, value,
					"does not end with a colon or has two in a row, so that its locks could meet those of another prefix",
					PREFIX_REMEDY);
		}
		return value;
	}

	/**
	 * Binding forgives blanks and dashes in a choice, and the conditions of what is to be
	 * configured do not.
	 */
	static void spelling(String property, Environment environment, Enum<?> choice) {
		String written = environment.getProperty(property);
		if (written != null && !written.equalsIgnoreCase(choice.name())) {
			throw new InvalidLockPropertyException(property, written, "is no spelling that is understood everywhere",
					"Write %s, without blanks around it".formatted(choice.name().toLowerCase(Locale.ROOT)));
		}
	}

	static int wholeNumber(String property, Environment environment, int fallback) {
		try {
			return environment.getProperty(property, Integer.class, fallback);
		}
		catch (ConversionException ex) {
			throw new InvalidLockPropertyException(property, String.valueOf(environment.getProperty(property)),
					"is not a whole number that fits 32 bits", "Use a number such as 100, or leave it out");
		}
	}

	static String profileName(String property, String name) {
		if (!name.equals(name.strip()) || name.isEmpty()) {
			throw new InvalidLockPropertyException(property, name, "is blank or has blanks around it",
					"Use the name of a lock exactly as in @DistributedLock(name = ...)");
		}
		return name;
	}

}
