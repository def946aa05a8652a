package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.autoconfigure.diagnostics.DurationText;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import org.jspecify.annotations.Nullable;

/**
 * Makes the profiles from the properties, or says which property keeps it from that.
 */
final class LockProfilesFactory {

	private static final Duration MIN_HOLD = Duration.ofMillis(1);

	private final DistributedLockProperties properties;

	LockProfilesFactory(DistributedLockProperties properties) {
		this.properties = properties;
	}

	LockProfiles create() {
		LockOptions global = global();
		Map<String, LockOptions> named = new LinkedHashMap<>();
		this.properties.locks().forEach((name, profile) -> {
			PropertyRules.profileName(property("locks"), name);
			named.put(name, named(prefix(name), profile, global));
		});
		return new LockProfiles(global, named);
	}

	private LockOptions global() {
		DistributedLockProperties.Renewal renewal = this.properties.renewal();
		LockOptions options = new LockOptions(ttl(property("ttl"), this.properties.ttl()),
				PropertyRules.notNegative(property("wait"), this.properties.waitFor()), renewal.enabled(),
				maxHold(property("renewal.max-hold"), renewal.maxHold()), null, null, null, null, null,
				this.properties.whenUnavailable());
		requireRenewable(options, property("ttl"), property("renewal.enabled"));
		return options;
	}

	private LockOptions named(String prefix, DistributedLockProperties.Profile profile, LockOptions global) {
		LockOptions options = new LockOptions(ttl(prefix + "ttl", profile.ttl()),
				PropertyRules.notNegative(prefix + "wait", profile.waitFor()), profile.renew(),
				maxHold(prefix + "max-hold", profile.maxHold()),
				PropertyRules.between(prefix + "keep-for", profile.keepFor(), Duration.ZERO, LockOptions.MAX_TTL),
				profile.mode(), PropertyRules.permits(prefix + "permits", profile.permits()), profile.whenBusy(),
				profile.whenLost(), profile.whenUnavailable());
		requireRenewable(options.orElse(global), prefix + "ttl", prefix + "renew");
		requireFitting(options, prefix);
		return options;
	}

	private static @Nullable Duration ttl(String property, @Nullable Duration value) {
		return PropertyRules.between(property, value, LockOptions.MIN_TTL, LockOptions.MAX_TTL);
	}

	private static @Nullable Duration maxHold(String property, @Nullable Duration value) {
		return PropertyRules.between(property, value, MIN_HOLD, LockOptions.MAX_TTL);
	}

	private static void requireRenewable(LockOptions options, String ttlProperty, String renewProperty) {
		Duration ttl = options.ttl();
		if (ttl != null && Boolean.TRUE.equals(options.renew()) && ttl.compareTo(LockOptions.MIN_RENEWABLE_TTL) < 0) {
			throw new InvalidLockPropertyException(ttlProperty, ttl, "is too short to be renewed",
					"Use at least %s, or switch renewal off with %s=false; a number without a unit is milliseconds"
						.formatted(DurationText.of(LockOptions.MIN_RENEWABLE_TTL), renewProperty));
		}
	}

	/** A mode that a profile leaves to the code is checked with the code. */
	private static void requireFitting(LockOptions options, String prefix) {
		LockMode mode = options.mode();
		if (mode == null) {
			return;
		}
		String said = "although %smode is %s".formatted(prefix, mode.name().toLowerCase(Locale.ROOT));
		if (options.permits() != null && mode != LockMode.SEMAPHORE) {
			throw new InvalidLockPropertyException(prefix + "permits", options.permits(), "is set " + said,
					"Remove it, or set %smode=semaphore".formatted(prefix));
		}
		if (options.keepFor() != null && !options.keepFor().isZero() && !mode.isExclusive()) {
			throw new InvalidLockPropertyException(prefix + "keep-for", options.keepFor(), "is set " + said,
					"Remove it, or use a mode with one holder: exclusive, fair or write");
		}
	}

	/** The start of the property names of a profile; an unusual name is in brackets. */
	static String prefix(String name) {
		boolean plain = name.chars().allMatch((c) -> Character.isLetterOrDigit(c) || c == '-');
		return property("locks.%s.".formatted(plain ? name : "[" + name + "]"));
	}

	private static String property(String suffix) {
		return DistributedLockProperties.PREFIX + "." + suffix;
	}

}
