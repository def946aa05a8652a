package io.distributedlock.interceptor;

import java.util.Collections;

import io.distributedlock.LockMode;

/**
 * Refuses a method that takes a lock for reading and, inside that, the same lock in a
 * mode that excludes readers: no call of it could ever run.
 */
final class UpgradeCheck {

	private UpgradeCheck() {
	}

	/**
	 * Check a lock of a method.
	 * @param outer the lock; a condition may decide for it or for the others
	 */
	static void check(MethodLockSpec outer) {
		if (outer.options().mode() != LockMode.READ || outer.conditionText() != null) {
			return;
		}
		for (MethodLockSpec inner = outer.inner(); inner != null; inner = inner.inner()) {
			if (isExclusive(inner) && isSameLock(outer, inner)) {
				throw new InvalidLockDeclarationException(outer.targetClass(), outer.method(),
						"it takes the same lock for reading and then in mode %s, which is refused to a reader"
							.formatted(inner.options().mode()),
						"Remove the lock for reading, or write it below the other one");
			}
		}
	}

	private static boolean isExclusive(MethodLockSpec spec) {
		LockMode mode = spec.options().mode();
		return mode != null && mode.isExclusive() && spec.conditionText() == null;
	}

	private static boolean isSameLock(MethodLockSpec one, MethodLockSpec other) {
		boolean sameKey = (one.isKeyedByMethod() && other.isKeyedByMethod())
				|| !Collections.disjoint(one.keyExpressions(), other.keyExpressions());
		return sameKey && one.name().equals(other.name()) && one.registry().equals(other.registry());
	}

}
