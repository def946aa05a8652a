package io.distributedlock.autoconfigure;

/**
 * Names of the beans that an application replaces by beans of the same name.
 */
final class LockBeanNames {

	static final String REGISTRY = "distributedLockRegistry";

	static final String STORE = "distributedLockStore";

	static final String TEMPLATE = "distributedLockTemplate";

	static final String REACTIVE_TEMPLATE = "distributedLockReactiveTemplate";

	private LockBeanNames() {
	}

}
