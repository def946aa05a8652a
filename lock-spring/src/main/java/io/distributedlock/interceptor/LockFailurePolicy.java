package io.distributedlock.interceptor;

import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockStoreException;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.interceptor.LockFailureDecision.Kind;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Decides about a call that cannot have its lock: the declaration of the method comes
 * first, then the handlers of the application, then the configuration. Thread-safe.
 */
final class LockFailurePolicy {

	private static final LockLog logger = LockLog.of(LockFailurePolicy.class);

	private final Supplier<List<LockFailureHandler>> handlers;

	private final UnprotectedCallListener listener;

	LockFailurePolicy(BeanFactory beanFactory, UnprotectedCallListener listener) {
		this.handlers = SingletonSupplier
			.of(() -> beanFactory.getBeanProvider(LockFailureHandler.class).orderedStream().toList());
		this.listener = listener;
	}

	/** The result of a call whose lock is busy, or whose store cannot be reached. */
	@Nullable Object handle(GuardedCall call, LockException cause) throws Throwable {
		MethodLockSpec spec = call.spec();
		boolean busy = cause instanceof LockNotAcquiredException;
		FallbackMethod fallback = spec.fallback();
		if (cause instanceof LockNotAcquiredException taken && fallback != null) {
			return call.fallBack(fallback, taken);
		}
		LockFailure failure = new LockFailure(spec.method(), spec.targetClass(), call.arguments(), call.request(),
				cause);
		boolean open = busy ? spec.isBusyOpen() : spec.isUnavailableOpen();
		LockFailureDecision decision = open ? decide(failure) : LockFailureDecision.defer();
		return follow((decision.kind() != Kind.DEFER) ? decision : configured(spec, busy), failure, call);
	}

	private LockFailureDecision decide(LockFailure failure) {
		for (LockFailureHandler handler : this.handlers.get()) {
			LockFailureDecision decision = ask(handler, failure);
			Assert.state(decision != null, () -> "LockFailureHandler %s returned null for %s"
				.formatted(handler.getClass().getTypeName(), failure.methodName()));
			if (decision.kind() != Kind.DEFER) {
				return decision;
			}
		}
		return LockFailureDecision.defer();
	}

	/** Ask a handler. Its exception must not hide the failure of the call. */
	private static LockFailureDecision ask(LockFailureHandler handler, LockFailure failure) {
		try {
			return handler.decide(failure);
		}
		catch (Throwable ex) {
			if (ex != failure.cause()) {
				ex.addSuppressed(failure.cause());
			}
			throw ex;
		}
	}

	private static LockFailureDecision configured(MethodLockSpec spec, boolean busy) {
		if (busy) {
			return (spec.options().whenBusy() == WhenBusy.SKIP) ? LockFailureDecision.skip()
					: LockFailureDecision.rethrow();
		}
		WhenUnavailable said = spec.options().whenUnavailable();
		if (said == WhenUnavailable.PROCEED) {
			return LockFailureDecision.proceed();
		}
		return (said == WhenUnavailable.SKIP) ? LockFailureDecision.skip() : LockFailureDecision.rethrow();
	}

	private @Nullable Object follow(LockFailureDecision decision, LockFailure failure, GuardedCall call)
			throws Throwable {
		MethodLockSpec spec = call.spec();
		Supplier<@Nullable Object> empty = spec.resultKind().emptyResult();
		if (decision.kind() == Kind.RESULT) {
			return result(failure, spec.resultKind(), decision.value());
		}
		if (decision.kind() == Kind.SKIP && empty != null) {
			logSkipped(spec, failure.cause());
			return empty.get();
		}
		if (decision.kind() == Kind.PROCEED && failure.cause() instanceof LockStoreException unavailable
				&& !spec.hasTokens()) {
			return proceed(call, unavailable);
		}
		if (decision.kind() != Kind.RETHROW) {
			failure.cause()
				.addSuppressed(new IllegalStateException(
						"The decision %s cannot be followed for %s: a result that cannot be empty is not skipped, and only an outage without a fencing token proceeds"
							.formatted(decision.kind(), failure.methodName())));
		}
		throw failure.cause();
	}

	/** The value of a handler, converted to a result of the method. */
	private static @Nullable Object result(LockFailure failure, ResultKind kind, @Nullable Object value) {
		Class<?> type = SuspendingFunctions.resultType(failure.method(), failure.targetClass()).resolve(Object.class);
		if (type == void.class || SuspendingFunctions.isUnit(type)) {
			return null;
		}
		Object result = kind.resultOf(value);
		if (result == value && !ClassUtils.isAssignableValue(type, value)) {
			IllegalStateException wrong = new IllegalStateException(
					"A LockFailureHandler returned %s for %s, which returns %s".formatted(value, failure.methodName(),
							type.getTypeName()));
			wrong.addSuppressed(failure.cause());
			throw wrong;
		}
		return result;
	}

	private static void logSkipped(MethodLockSpec spec, LockException cause) {
		if (cause instanceof LockStoreException) {
			logger.warn("Skipped a call of %s: %s".formatted(spec, cause.getMessage()));
		}
		else if (logger.isDebugEnabled()) {
			logger.debug("Skipped a call of %s: %s".formatted(spec, cause.getMessage()));
		}
	}

	private @Nullable Object proceed(GuardedCall call, LockStoreException unavailable) throws Throwable {
		logger.warn("Running %s without its lock: %s".formatted(call.spec(), unavailable.getMessage()));
		try {
			this.listener.onUnprotectedCall(call.request(), unavailable);
		}
		catch (Throwable ex) {
			logger.error("A listener failed", ex);
		}
		return call.proceed();
	}

}
