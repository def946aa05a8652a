package io.distributedlock.interceptor;

import java.lang.reflect.Method;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.WhenUnavailable;

/** Refuses parameters for fencing tokens that could not always receive one. */
final class TokenParameterCheck {

	private final Method method;

	private final Class<?> targetClass;

	TokenParameterCheck(Method method, Class<?> targetClass) {
		this.method = method;
		this.targetClass = targetClass;
	}

	void check(int index, LockOptions options, boolean conditional) {
		Class<?> type = this.method.getParameterTypes()[index];
		if (type != long.class && type != Long.class) {
			throw refusal("its parameter %s for the fencing token is of type %s".formatted(describe(index),
					type.getTypeName()), "Make it a long");
		}
		if (options.whenUnavailable() == WhenUnavailable.PROCEED) {
			throw refusal("whenUnavailable is PROCEED, but without a lock there is no fencing token for its parameter "
					+ describe(index), "Use THROW or SKIP as whenUnavailable, or remove the parameter");
		}
		if (options.mode() == LockMode.SEMAPHORE) {
			throw refusal(
					"its mode is SEMAPHORE, whose holders run side by side, so that the fencing token for its parameter %s does not tell who is late"
						.formatted(describe(index)),
					"Remove the parameter, or use a mode with one holder; Lease.fencingToken() has the number if it is only to tell calls apart");
		}
		if (conditional && type == long.class) {
			throw refusal("it has a condition, and where that is false there is no fencing token for its parameter "
					+ describe(index), "Make the parameter a Long, which is null then");
		}
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
