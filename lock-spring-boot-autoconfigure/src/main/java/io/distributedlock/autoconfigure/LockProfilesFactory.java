package io.distributedlock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;

/**
 * Creates the profiles from the properties.
 */
final class LockProfilesFactory {

	private LockProfilesFactory() {
	}

	static LockProfiles create(DistributedLockProperties properties) {
		LockOptions global = PropertyRules.named(DistributedLockProperties.PREFIX + ".",
				() -> new LockOptions(properties.ttl(), properties.waitFor(), properties.renew(), properties.maxHold(),
						null, null, null, null, null, null, null, properties.whenUnavailable())
					.requireUsable());
		Map<String, LockOptions> named = new LinkedHashMap<>();
		properties.locks()
			.forEach((name, profile) -> named.put(name,
					PropertyRules.named(prefix(name), () -> options(profile, global))));
		return new LockProfiles(global, named);
	}

	/**
	 * Return the options of a profile, checked. Settings that it leaves open are checked
	 * later, with those of the code.
	 */
	private static LockOptions options(DistributedLockProperties.Profile profile, LockOptions global) {
		LockOptions options = new LockOptions(profile.ttl(), profile.waitFor(), profile.renew(), profile.maxHold(),
				profile.keepFor(), profile.lockDelay(), profile.mode(), profile.permits(), profile.take(),
				profile.whenBusy(), profile.whenLost(), profile.whenUnavailable());
		boolean counts = options.permits() != null || options.take() != null;
		LockMode mode = (options.mode() == null && counts) ? LockMode.SEMAPHORE : options.mode();
		LockOptions whole = options.orElse(global);
		whole = (mode != null) ? whole.withMode(mode) : whole;
		whole = (mode == LockMode.SEMAPHORE && options.permits() == null) ? whole.withPermits(LockOptions.MAX_PERMITS)
				: whole;
		whole.requireUsable();
		return options;
	}

	/** The start of the property names of a profile; an unusual name is in brackets. */
	static String prefix(String name) {
		boolean plain = name.chars().allMatch((c) -> Character.isLetterOrDigit(c) || c == '-');
		return "%s.locks.%s.".formatted(DistributedLockProperties.PREFIX, plain ? name : "[" + name + "]");
	}

}
