package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.interceptor.expression.InvalidAttributeException;
import io.distributedlock.interceptor.expression.KeyExpressions;
import io.distributedlock.interceptor.expression.LockCallRoot;
import io.distributedlock.interceptor.expression.LockExpression;
import io.distributedlock.interceptor.expression.MethodNames;
import org.jspecify.annotations.Nullable;

/** The parameters of a guarded method that receive fencing tokens of its lock. */
final class TokenParameters {

	private final List<Parameter> parameters;

	TokenParameters(List<Parameter> parameters) {
		this.parameters = List.copyOf(parameters);
	}

	boolean areNone() {
		return this.parameters.isEmpty();
	}

	/** Remove the values that the caller passed: without a lock there is no token. */
	void clear(@Nullable Object[] arguments) {
		for (int i = 0; i < this.parameters.size(); i++) {
			Parameter parameter = this.parameters.get(i);
			arguments[parameter.index()] = parameter.absent();
		}
	}

	void inject(@Nullable Object[] arguments, Lease lease, LockCallRoot call) {
		for (int i = 0; i < this.parameters.size(); i++) {
			Parameter parameter = this.parameters.get(i);
			arguments[parameter.index()] = parameter.token(lease, call);
		}
	}

	/** Refuse parameters that could not always receive a token. */
	void check(Method method, LockOptions options, MethodLockSpec.Subject subject) {
		for (Parameter parameter : this.parameters) {
			Class<?> type = method.getParameterTypes()[parameter.index()];
			String described = MethodNames.parameter(method, parameter.index());
			if (type != long.class && type != Long.class) {
				throw new InvalidAttributeException(
						"its parameter %s for the fencing token is of type %s".formatted(described, type.getTypeName()),
						"Make it a long");
			}
			if (options.whenUnavailable() == WhenUnavailable.PROCEED) {
				throw new InvalidAttributeException(
						"whenUnavailable is PROCEED, but without a lock there is no fencing token for its parameter "
								+ described,
						"Use THROW or SKIP as whenUnavailable here or in the configuration, or remove the parameter");
			}
			if (options.mode() == LockMode.SEMAPHORE) {
				throw new InvalidAttributeException(
						"its mode is SEMAPHORE, whose holders run side by side, so that the fencing token for its parameter %s does not tell who is late"
							.formatted(described),
						"Remove the parameter, or use a mode with one holder here or in the configuration; Lease.fencingToken() has the number if it is only to tell calls apart");
			}
			if (subject.condition() != null && type == long.class) {
				throw new InvalidAttributeException(
						"it has a condition, and where that is false there is no fencing token for its parameter "
								+ described,
						"Make the parameter a Long, which is null then");
			}
			String user = subject.keys().user(parameter.index());
			if (user != null) {
				throw new InvalidAttributeException(
						"its lock expression \"%s\" uses the fencing token, which is not known before the lock is taken"
							.formatted(user),
						"Use other parameters");
			}
		}
	}

	/**
	 * A parameter.
	 *
	 * @param index its position, counted from 0
	 * @param absent its value without a lock
	 * @param key yields the key whose token is meant, {@code null} for the only one
	 */
	record Parameter(int index, @Nullable Long absent, @Nullable LockExpression key) {

		private long token(Lease lease, LockCallRoot call) {
			return (this.key != null) ? tokenOfKey(this.key, lease, call) : commonToken(lease, call);
		}

		private static long tokenOfKey(LockExpression expression, Lease lease, LockCallRoot call) {
			List<String> keys = new KeyExpressions(List.of(expression), "").resolve(call);
			if (keys.size() != 1 || !lease.keys().containsAll(keys)) {
				throw expression.failure("yields %s, which is not one of the locked keys %s".formatted(keys,
						lease.keys().stream().sorted().toList()), null);
			}
			return lease.fencingToken(keys.get(0));
		}

		private static long commonToken(Lease lease, LockCallRoot call) {
			try {
				return lease.fencingToken();
			}
			catch (IllegalStateException ex) {
				throw new LockException(
						"The keys %s of %s have no fencing token in common; the method was not run. Name one of them as in @FencingToken(\"#id\")"
							.formatted(lease.keys(), MethodNames.of(call.getTargetClass(), call.getMethod())),
						ex);
			}
		}

	}

}
