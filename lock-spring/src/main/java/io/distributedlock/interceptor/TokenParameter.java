package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockFinder;
import io.distributedlock.annotation.FencingToken;
import io.distributedlock.interceptor.internal.InvalidAttributeException;
import io.distributedlock.interceptor.internal.LockExpression;
import io.distributedlock.interceptor.internal.MethodNames;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.SynthesizingMethodParameter;

/**
 * A parameter of a guarded method that receives the fencing token of one of its locks.
 */
final class TokenParameter {

	private final int index;

	/** The value of the parameter without a lock. */
	private final @Nullable Long absent;

	/** Yields the key whose token is meant; {@code null} for the token of all keys. */
	private final @Nullable LockExpression key;

	private TokenParameter(int index, @Nullable Long absent, @Nullable LockExpression key) {
		this.index = index;
		this.absent = absent;
		this.key = key;
	}

	/**
	 * The parameters that receive the token of one of the locks of a method. If an
	 * interface or superclass annotates a parameter, its key uses the parameter names
	 * from there.
	 */
	static List<TokenParameter> of(DistributedLock lock, List<DistributedLock> all, Method method,
			List<Method> declarations, BiFunction<String, List<Method>, LockExpression> keys) {
		List<TokenParameter> found = new ArrayList<>();
		for (int index = 0; index < method.getParameterCount(); index++) {
			List<Method> annotated = annotated(method, declarations, index);
			FencingToken token = annotated.isEmpty() ? null : annotation(annotated.get(0), index);
			if (token != null && lockOf(token, all, MethodNames.parameter(method, index)) == lock) {
				annotated.addAll(declarations);
				found.add(new TokenParameter(index, method.getParameterTypes()[index].isPrimitive() ? 0L : null,
						token.key().isEmpty() ? null : keys.apply(token.key(), annotated)));
			}
		}
		return List.copyOf(found);
	}

	/** The declarations that annotate a parameter, that of the method itself first. */
	private static List<Method> annotated(Method method, List<Method> declarations, int index) {
		return Stream.concat(Stream.of(method), declarations.stream())
			.filter((declaration) -> annotation(declaration, index) != null)
			.collect(Collectors.toCollection(ArrayList::new));
	}

	private static @Nullable FencingToken annotation(Method declaration, int index) {
		return new SynthesizingMethodParameter(declaration, index).getParameterAnnotation(FencingToken.class);
	}

	private static DistributedLock lockOf(FencingToken token, List<DistributedLock> all, String parameter) {
		if (all.size() == 1 && token.name().isEmpty()) {
			return all.get(0);
		}
		List<DistributedLock> named = all.stream().filter((lock) -> lock.name().equals(token.name())).toList();
		if (named.size() != 1 || token.name().isEmpty()) {
			throw new InvalidAttributeException(
					"its @FencingToken parameter %s has to name one of its locks but names %s".formatted(parameter,
							token.name().isEmpty() ? "none"
									: "'%s', of which there are %d".formatted(token.name(), named.size())),
					"Give each lock a name of its own, and name one in @FencingToken(name = \"…\"); there are "
							+ all.stream().map(DistributedLock::name).toList());
		}
		return named.get(0);
	}

	/**
	 * Refuse tokens of a method that has no lock: the value that the caller passes would
	 * not be replaced. Called for every method of every bean, so it looks at this method
	 * only.
	 */
	static void requireNone(Method method, Class<?> targetClass) {
		if (DistributedLockFinder.hasTokenParameter(method)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"it has no lock whose token its @FencingToken parameter could receive",
					"Annotate it with @DistributedLock, or remove @FencingToken");
		}
	}

	/** Refuse the parameter where it could not always receive a token. */
	void check(Method method, LockOptions options, List<LockExpression> keys, boolean conditional) {
		Class<?> type = method.getParameterTypes()[this.index];
		String described = "its parameter %s for the fencing token "
			.formatted(MethodNames.parameter(method, this.index));
		refuseIf(type != long.class && type != Long.class, described + "is of type " + type.getTypeName(),
				"Make it a long");
		refuseIf(options.whenUnavailable() == WhenUnavailable.PROCEED,
				described + "has none without a lock, but whenUnavailable is PROCEED",
				"Use THROW or SKIP as whenUnavailable here or in the configuration, or remove the parameter");
		refuseIf(options.mode() == LockMode.SEMAPHORE,
				described + "does not tell who is late, because its mode is SEMAPHORE, whose holders run side by side",
				"Remove the parameter, or use a mode with one holder here or in the configuration; Lease.fencingToken() has the number if it is only to tell calls apart");
		refuseIf(conditional && type == long.class, described + "has none where the condition is false",
				"Make the parameter a Long, which is null then");
		for (LockExpression expression : keys) {
			refuseIf(expression.uses(this.index),
					described + "is not known before the lock is taken, but its lock expression \"%s\" uses it"
						.formatted(expression.text()),
					"Use other parameters");
		}
	}

	private static void refuseIf(boolean impossible, String problem, String remedy) {
		if (impossible) {
			throw new InvalidAttributeException(problem, remedy);
		}
	}

	/** The expression for the key whose token is meant, if there is one. */
	Stream<LockExpression> keys() {
		return Stream.ofNullable(this.key);
	}

	/** Return whether it receives the token that all keys have in common. */
	boolean isCommon() {
		return this.key == null;
	}

	/** Remove the value that the caller passed: without a lock there is no token. */
	void clear(@Nullable Object[] arguments) {
		arguments[this.index] = this.absent;
	}

	void inject(Object target, @Nullable Object[] arguments, Lease lease) {
		arguments[this.index] = (this.key != null) ? tokenOfKey(this.key, this.key.keys(target, arguments), lease)
				: commonToken(lease);
	}

	private static long tokenOfKey(LockExpression expression, List<String> keys, Lease lease) {
		if (keys.size() != 1 || !lease.keys().containsAll(keys)) {
			throw expression.failure("yields %s, which is not one of the locked keys %s".formatted(keys,
					lease.keys().stream().sorted().toList()), null);
		}
		return lease.fencingToken(keys.get(0));
	}

	private static long commonToken(Lease lease) {
		try {
			return lease.fencingToken();
		}
		catch (IllegalStateException ex) {
			throw new LockException(
					"The keys %s have no fencing token in common; the method was not run. Name one of them as in @FencingToken(\"#id\")"
						.formatted(lease.keys()),
					ex);
		}
	}

}
