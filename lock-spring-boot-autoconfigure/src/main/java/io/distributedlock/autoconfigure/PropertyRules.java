package io.distributedlock.autoconfigure;

import java.util.Locale;
import java.util.function.Supplier;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.autoconfigure.DistributedLockProperties.Store;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.store.LockStore;
import io.distributedlock.text.LockLog;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * What cannot be seen by a single setting: which property it comes from, and what does
 * not go together. The values themselves are checked by the settings that are made of
 * them.
 */
final class PropertyRules {

	private static final LockLog logger = LockLog.of(PropertyRules.class);

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
			case "handOffs" -> prefix + "max-count";
			case "handOffPeriod" -> prefix + "max-duration";
			default -> prefix + DataObjectPropertyName.toDashedForm(setting);
		};
	}

	/**
	 * Refuse what is meant for another store, and would be thought to happen. Settings of
	 * Redlock other than its nodes are tolerated: an inherited one cannot be set to
	 * nothing.
	 */
	static void fitTheStore(DistributedLockProperties properties, Environment environment) {
		spelling("store", environment, properties.store());
		spelling("advice", environment, properties.advice());
		String store = properties.store().name().toLowerCase(Locale.ROOT);
		int replicas = properties.redis().replicaAcks();
		if (replicas > 0 && properties.store() != Store.REDIS) {
			throw new InvalidLockPropertyException(DistributedLockProperties.PREFIX + ".redis.replica-acks", replicas,
					"cannot work with distributed-lock.store=" + store, "Remove it, or use store redis", null);
		}
		int nodes = properties.redlock().nodes().size();
		if (nodes > 0 && properties.store() != Store.REDLOCK) {
			throw new InvalidLockPropertyException(DistributedLockProperties.PREFIX + ".redlock.nodes", "****",
					"has no effect, since distributed-lock.store is " + store,
					"Set distributed-lock.store=redlock, or remove the nodes. Where they are inherited, as tests inherit "
							+ "them from the application, set distributed-lock.redlock.nodes to nothing",
					null);
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

	/**
	 * Binding forgives blanks and dashes in a choice, and the conditions of what is to be
	 * configured do not.
	 */
	private static void spelling(String name, Environment environment, Enum<?> choice) {
		String property = DistributedLockProperties.PREFIX + "." + name;
		String written = environment.getProperty(property);
		if (written != null && !written.equalsIgnoreCase(choice.name())) {
			throw new InvalidLockPropertyException(property, written, "is no spelling that is understood everywhere",
					"Write %s, without blanks around it".formatted(choice.name().toLowerCase(Locale.ROOT)), null);
		}
	}

}
