package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.Locale;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.interceptor.InvalidLockDeclarationException;
import io.distributedlock.interceptor.MethodLockSpec;
import io.distributedlock.interceptor.MethodLockSpecSource;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Stops the start of an application if a profile or a guarded method has a mode that the
 * store does not offer. Warns of fencing tokens that the store cannot give. A profile may
 * be meant for any registry, so it is refused only if no registry has the mode. The
 * methods of beans that are created later are refused by their first call.
 */
final class StoreCapabilityCheck implements SmartInitializingSingleton {

	private static final LockLog logger = LockLog.of(StoreCapabilityCheck.class);

	private static final String REMEDY = "Use one of these modes, or another store";

	private static final String ONE_PERMIT = "a request takes one permit in the store, as with Redlock";

	private static final String NO_DELAYS = "the store keeps no lock closed after a loss, as Redlock does not";

	private final ListableBeanFactory beanFactory;

	StoreCapabilityCheck(ListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public void afterSingletonsInstantiated() {
		Collection<LockRegistry> registries = this.beanFactory.getBeansOfType(LockRegistry.class).values();
		this.beanFactory.getBeanProvider(LockProfiles.class)
			.forEach((profiles) -> profiles.names().forEach((name) -> checkProfile(name, profiles, registries)));
		this.beanFactory.getBeanProvider(MethodLockSpecSource.class)
			.forEach((source) -> source.specs().forEach(this::checkMethod));
	}

	private static void checkProfile(String name, LockProfiles profiles, Collection<LockRegistry> registries) {
		LockOptions options = profiles.ownOptions(name, LockOptions.NONE);
		if (isDelayed(options) && registries.stream().noneMatch(StoreCapabilityCheck::hasDelays)) {
			throw new InvalidLockPropertyException(LockProfilesFactory.prefix(name) + "lock-delay",
					String.valueOf(options.lockDelay()), "cannot be had: " + NO_DELAYS,
					"Remove the property, or use another store", null);
		}
		if (isLarge(options) && registries.stream().noneMatch(StoreCapabilityCheck::hasSeveralPermits)) {
			throw new InvalidLockPropertyException(LockProfilesFactory.prefix(name) + "take",
					String.valueOf(options.take()), "cannot be had: " + ONE_PERMIT,
					"Remove the property, or use another store", null);
		}
		LockMode mode = options.mode();
		String objection = null;
		for (LockRegistry registry : registries) {
			objection = objection(registry, mode);
			if (objection == null) {
				return;
			}
		}
		if (mode != null && objection != null) {
			throw new InvalidLockPropertyException(LockProfilesFactory.prefix(name) + "mode",
					mode.name().toLowerCase(Locale.ROOT), "cannot be had: " + objection, REMEDY, null);
		}
	}

	private void checkMethod(MethodLockSpec outermost) {
		for (MethodLockSpec spec = outermost; spec != null; spec = spec.inner()) {
			warnOfCommonToken(spec);
			LockMode mode = spec.options().mode();
			String objection = objection(registry(spec.registry()), mode);
			if (objection != null) {
				throw new InvalidLockDeclarationException(spec.targetClass(), spec.method(),
						"its mode is %s, but %s".formatted(mode, objection), REMEDY);
			}
			if (isDelayed(spec.options()) && !hasDelays(registry(spec.registry()))) {
				throw new InvalidLockDeclarationException(spec.targetClass(), spec.method(),
						"it has a lockDelay, but " + NO_DELAYS, "Remove the attribute lockDelay, or use another store");
			}
			if (isLarge(spec.options()) && !hasSeveralPermits(registry(spec.registry()))) {
				throw new InvalidLockDeclarationException(spec.targetClass(), spec.method(),
						"it takes several permits, but " + ONE_PERMIT,
						"Remove the attribute take, or use another store");
			}
		}
	}

	private static boolean isLarge(LockOptions options) {
		return options.take() != null && options.take() > 1;
	}

	private static boolean hasSeveralPermits(LockRegistry registry) {
		return !(registry instanceof DefaultLockRegistry known) || known.offers(StoreCapability.SEVERAL_PERMITS);
	}

	private static boolean isDelayed(LockOptions options) {
		Duration delay = options.lockDelay();
		return delay != null && !delay.isZero();
	}

	/** Other registries do not show the capabilities of their stores. */
	private static boolean hasDelays(LockRegistry registry) {
		return !(registry instanceof DefaultLockRegistry known) || known.offers(StoreCapability.LOCK_DELAY);
	}

	/** Warn only: keys that share a hash tag have a common token. */
	private void warnOfCommonToken(MethodLockSpec spec) {
		if (spec.needsCommonToken() && registry(spec.registry()) instanceof DefaultLockRegistry known
				&& !known.takesTogether(spec.name())) {
			logger.warn(
					"%s has the keys %s, which its store takes one after the other unless they share a hash tag. Then they have no fencing token in common, and a call is refused. Let the parameter name one key, as in @FencingToken(\"%s\")"
						.formatted(spec, spec.keyExpressions(), spec.keyExpressions().get(0)));
		}
	}

	private LockRegistry registry(String name) {
		return name.isEmpty() ? this.beanFactory.getBean(LockRegistry.class)
				: this.beanFactory.getBean(name, LockRegistry.class);
	}

	/**
	 * Return why a registry cannot have a mode, or {@code null}. Other registries than
	 * those of this library do not show the capabilities of their stores.
	 */
	private static @Nullable String objection(LockRegistry registry, @Nullable LockMode mode) {
		return (mode != null && registry instanceof DefaultLockRegistry known) ? known.objection(mode) : null;
	}

}
