package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.store.LockStore;
import io.distributedlock.text.LockLog;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/** The stores that can be chosen, and the chosen one. */
final class LockStoreTypes {

	static final String PROPERTY = DistributedLockProperties.PREFIX + ".store";

	private static final LockLog logger = LockLog.of(LockStoreTypes.class);

	private final List<LockStoreType> types;

	private final String chosen;

	LockStoreTypes(ObjectProvider<LockStoreType> types, String chosen) {
		this.types = types.orderedStream().toList();
		this.chosen = chosen;
	}

	/** Refuse a name that no store has, and settings of stores that are not chosen. */
	void check() {
		chosenType();
		this.types.stream().filter((type) -> !isChosen(type)).forEach((type) -> type.refuseWhenChosen(this.chosen));
	}

	private boolean isChosen(LockStoreType type) {
		return type.name().equalsIgnoreCase(this.chosen);
	}

	private LockStoreType chosenType() {
		return this.types.stream().filter(this::isChosen).findFirst().orElseThrow(this::unknown);
	}

	private InvalidLockPropertyException unknown() {
		String letters = this.chosen.replaceAll("[\\s_-]", "");
		List<String> names = this.types.stream().map(LockStoreType::name).sorted().toList();
		return names.stream()
			.filter(letters::equalsIgnoreCase)
			.findFirst()
			.map((name) -> PropertyRules.misspelt(PROPERTY, this.chosen, name))
			.orElseGet(() -> new InvalidLockPropertyException(PROPERTY, this.chosen, "names no store on the class path",
					"Choose one of %s, or add the artifact of the store".formatted(String.join(", ", names)), null));
	}

	/** The failure of a start without a store. */
	InvalidLockPropertyException none() {
		return missing(this.chosen, chosenType().missing());
	}

	static InvalidLockPropertyException missing(String name, LockStoreType.Missing missing) {
		return new InvalidLockPropertyException(PROPERTY, name, "cannot be had: " + missing.problem(),
				missing.remedy() + ". Or set distributed-lock.store=memory for tests or a single process, declare a "
						+ "LockStore bean named distributedLockStore, or set distributed-lock.enabled=false; annotated "
						+ "methods then run WITHOUT a lock",
				null);
	}

	/**
	 * Warn of a configured store that a bean of the application replaces. That of a test
	 * kit, which has another role, replaces it on purpose.
	 */
	void warnWithoutEffect(LockStore store, Environment environment, ApplicationContext context) {
		LockStoreType type = chosenType();
		if (environment.containsProperty(PROPERTY) && !type.includes(store) && isOfTheApplication(context)) {
			logger.warn("%s=%s has no effect, nor have the settings for it: the locks are kept by the bean %s, a %s"
				.formatted(PROPERTY, type.name(), LockBeanNames.STORE, store.getClass().getName()));
		}
	}

	private static boolean isOfTheApplication(ApplicationContext context) {
		return !(context instanceof ConfigurableApplicationContext own)
				|| !own.getBeanFactory().containsBeanDefinition(LockBeanNames.STORE)
				|| own.getBeanFactory()
					.getBeanDefinition(LockBeanNames.STORE)
					.getRole() == BeanDefinition.ROLE_APPLICATION;
	}

}
