package io.distributedlock.interceptor;

import java.util.List;

import io.distributedlock.interceptor.expression.MethodNames;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/** The handlers of the application, asked for by the first failure. */
final class LockFailureHandlers {

	private final BeanFactory beanFactory;

	private volatile @Nullable List<LockFailureHandler> handlers;

	LockFailureHandlers(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	LockFailureDecision decide(LockFailure failure) {
		for (LockFailureHandler handler : handlers()) {
			@Nullable LockFailureDecision decision = handler.decide(failure);
			if (decision == null) {
				throw undecided(handler, failure);
			}
			if (decision.kind() != LockFailureDecision.Kind.DEFER) {
				return decision;
			}
		}
		return LockFailureDecision.defer();
	}

	/**
	 * Say why a decision has no effect.
	 * @param failure the call, whose cause is thrown
	 * @param decision what a handler said
	 * @param reason what is against it
	 */
	static void notFollowed(LockFailure failure, LockFailureDecision decision, String reason) {
		failure.cause()
			.addSuppressed(new IllegalStateException(
					"A LockFailureHandler decided to %s for %s, which could not be followed: %s"
						.formatted(decision.kind(), MethodNames.of(failure.targetClass(), failure.method()), reason)));
	}

	private static IllegalStateException undecided(LockFailureHandler handler, LockFailure failure) {
		return new IllegalStateException(
				"LockFailureHandler %s returned null for %s. Return LockFailureDecision.defer() to leave it to others"
					.formatted(handler.getClass().getTypeName(),
							MethodNames.of(failure.targetClass(), failure.method())),
				failure.cause());
	}

	private List<LockFailureHandler> handlers() {
		List<LockFailureHandler> known = this.handlers;
		if (known == null) {
			known = this.beanFactory.getBeanProvider(LockFailureHandler.class).orderedStream().toList();
			this.handlers = known;
		}
		return known;
	}

	/**
	 * The result that a handler wants, as the method can return it.
	 * @param failure the call
	 * @param kind what the method returns
	 * @param value what the handler said
	 * @return the result
	 */
	static @Nullable Object result(LockFailure failure, ResultKind kind, @Nullable Object value) {
		Class<?> type = SuspendingFunctions.resultType(failure.method(), failure.targetClass()).resolve(Object.class);
		if (type == void.class || SuspendingFunctions.isUnit(type)) {
			return null;
		}
		Object result = kind.resultOf(value);
		if (result == value && !ClassUtils.isAssignableValue(type, value)) {
			IllegalStateException wrong = new IllegalStateException(
					"A LockFailureHandler returned %s for %s, which returns %s".formatted(value,
							MethodNames.of(failure.targetClass(), failure.method()), type.getTypeName()));
			wrong.addSuppressed(failure.cause());
			throw wrong;
		}
		return result;
	}

}
