package io.distributedlock.interceptor;

import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
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

	/**
	 * Take away what the caller passed: where there is no lock, there is no token.
	 * @param arguments the arguments of the call, changed in place
	 */
	void clear(@Nullable Object[] arguments) {
		for (Parameter parameter : this.parameters) {
			arguments[parameter.index()] = parameter.absent();
		}
	}

	/**
	 * Put in the tokens of a lease.
	 * @param arguments the arguments of the call, changed in place
	 * @param lease the lease
	 * @param call the call, for expressions
	 */
	void inject(@Nullable Object[] arguments, Lease lease, LockCallRoot call) {
		for (Parameter parameter : this.parameters) {
			arguments[parameter.index()] = parameter.token(lease, call);
		}
	}

	/**
	 * A parameter.
	 *
	 * @param index where it is
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
				throw expression.failure(call, "yields %s, which is not one of the locked keys %s".formatted(keys,
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
