package io.distributedlock.interceptor;

import java.lang.reflect.Method;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.interceptor.expression.LockExpression;
import io.distributedlock.interceptor.expression.MethodNames;

/** Refuses parameters for fencing tokens that could not always receive one. */
final class TokenParameterCheck {

	private final Method method;

	private final Class<?> targetClass;

	private final String name;

	private final LockDeclaration declaration;

	/**
	 * Create a check.
	 * @param method the method
	 * @param targetClass the class that it is called on
	 * @param name the name of the lock
	 * @param declaration what the method declares
	 */
	TokenParameterCheck(Method method, Class<?> targetClass, String name, LockDeclaration declaration) {
		this.method = method;
		this.targetClass = targetClass;
		this.name = name;
		this.declaration = declaration;
	}

	void check(int index, LockOptionsResolver.Resolved resolved) {
		LockOptions options = resolved.options();
		Class<?> type = this.method.getParameterTypes()[index];
		if (type != long.class && type != Long.class) {
			throw refusal("its parameter %s for the fencing token is of type %s".formatted(describe(index),
					type.getTypeName()), "Make it a long");
		}
		if (options.whenUnavailable() == WhenUnavailable.PROCEED) {
			String origin = unavailableOrigin(resolved.unavailableOpen());
			throw refusal(
					"whenUnavailable is PROCEED%s, but without a lock there is no fencing token for its parameter %s"
						.formatted(origin, describe(index)),
					"Use THROW or SKIP as whenUnavailable, or remove the parameter");
		}
		if (options.mode() == LockMode.SEMAPHORE) {
			boolean configured = this.declaration.kind().mode() != LockMode.SEMAPHORE;
			throw refusal(
					"its mode is SEMAPHORE%s, whose holders run side by side, so that the fencing token for its parameter %s does not tell who is late"
						.formatted(configured ? property("mode") : "", describe(index)),
					"Remove the parameter, or "
							+ (configured ? "remove the mode from the profile" : "use a mode with one holder")
							+ "; Lease.fencingToken() has the number if it is only to tell calls apart");
		}
		if (!this.declaration.subject().condition().isEmpty() && type == long.class) {
			throw refusal("it has a condition, and where that is false there is no fencing token for its parameter "
					+ describe(index), "Make the parameter a Long, which is null then");
		}
	}

	/**
	 * Where it comes from if the method does not say it: of all locks, or of this one.
	 */
	private String unavailableOrigin(boolean open) {
		if (this.declaration.policies().whenUnavailable() == WhenUnavailable.PROCEED) {
			return "";
		}
		return open ? " (distributed-lock.when-unavailable)" : property("when-unavailable");
	}

	private String property(String property) {
		return " (distributed-lock.locks.%s.%s)".formatted(this.name, property);
	}

	void checkUnused(int index, LockExpression expression) {
		if (expression.uses(index)) {
			throw refusal(
					"its lock expression \"%s\" uses the fencing token, which is not known before the lock is taken"
						.formatted(expression.text()),
					"Use other parameters");
		}
	}

	private String describe(int index) {
		return MethodNames.parameter(this.method, index);
	}

	private InvalidLockDeclarationException refusal(String problem, String remedy) {
		return new InvalidLockDeclarationException(this.targetClass, this.method, problem, remedy);
	}

}
