package io.distributedlock.interceptor;

import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockStoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a call gets that cannot have its lock: what the method declares comes first, then
 * the handlers of the application, then the configuration. Thread-safe.
 */
final class LockFailurePolicy {

	private static final Log logger = LogFactory.getLog(LockInterceptor.class);

	private final LockFailureHandlers handlers;

	private final UnprotectedCallListener listener;

	LockFailurePolicy(LockFailureHandlers handlers, UnprotectedCallListener listener) {
		this.handlers = handlers;
		this.listener = listener;
	}

	@Nullable Object busy(GuardedCall call, LockNotAcquiredException busy) throws Throwable {
		MethodLockSpec spec = call.spec();
		FallbackMethod fallback = spec.fallbackWhenBusy();
		if (fallback != null) {
			return call.fallBack(fallback, busy);
		}
		LockFailureDecision decision = spec.isBusyOpen() ? decide(call, busy) : LockFailureDecision.defer();
		if (decision.kind() != LockFailureDecision.Kind.DEFER) {
			return follow(decision, call, busy);
		}
		if (spec.skipsWhenBusy()) {
			return skip(spec, busy);
		}
		throw busy;
	}

	@Nullable Object unavailable(GuardedCall call, LockStoreException unavailable) throws Throwable {
		MethodLockSpec spec = call.spec();
		LockFailureDecision decision = spec.isUnavailableOpen() ? decide(call, unavailable)
				: LockFailureDecision.defer();
		if (decision.kind() != LockFailureDecision.Kind.DEFER) {
			return follow(decision, call, unavailable);
		}
		if (spec.skipsWhenUnavailable()) {
			return skip(spec, unavailable);
		}
		if (!spec.proceedsWhenUnavailable()) {
			throw unavailable;
		}
		return proceed(call, unavailable);
	}

	private LockFailureDecision decide(GuardedCall call, LockException cause) {
		return this.handlers.decide(failure(call, cause));
	}

	private @Nullable Object follow(LockFailureDecision decision, GuardedCall call, LockException cause)
			throws Throwable {
		MethodLockSpec spec = call.spec();
		if (decision.kind() == LockFailureDecision.Kind.RESULT) {
			return LockFailureHandlers.result(failure(call, cause), spec.resultKind(), decision.value());
		}
		if (decision.kind() == LockFailureDecision.Kind.SKIP && spec.canBeEmpty()) {
			return skip(spec, cause);
		}
		if (decision.kind() == LockFailureDecision.Kind.PROCEED && cause instanceof LockStoreException unavailable
				&& spec.tokens().areNone()) {
			return proceed(call, unavailable);
		}
		if (decision.kind() != LockFailureDecision.Kind.RETHROW) {
			LockFailureHandlers.notFollowed(failure(call, cause), decision, obstacle(decision, spec, cause));
		}
		throw cause;
	}

	private static String obstacle(LockFailureDecision decision, MethodLockSpec spec, LockException cause) {
		if (decision.kind() == LockFailureDecision.Kind.SKIP) {
			return "its result of type %s cannot be empty"
				.formatted(SuspendingFunctions.resultType(spec.method(), spec.targetClass()));
		}
		return (cause instanceof LockStoreException) ? "without the lock there is no fencing token for its parameter"
				: "somebody else has the lock";
	}

	private static LockFailure failure(GuardedCall call, LockException cause) {
		return new LockFailure(call.spec().method(), call.spec().targetClass(), call.request(), cause);
	}

	private static @Nullable Object skip(MethodLockSpec spec, LockException cause) {
		if (cause instanceof LockStoreException) {
			logger.warn("Skipped a call of %s: %s".formatted(spec, cause.getMessage()));
		}
		else if (logger.isDebugEnabled()) {
			logger.debug("Skipped a call of %s: %s".formatted(spec, cause.getMessage()));
		}
		return spec.emptyResult();
	}

	private @Nullable Object proceed(GuardedCall call, LockStoreException unavailable) throws Throwable {
		logger.warn("Running %s without its lock: %s".formatted(call.spec(), unavailable.getMessage()));
		try {
			this.listener.onUnprotectedCall(call.request(), unavailable);
		}
		catch (RuntimeException ex) {
			logger.error("A listener failed", ex);
		}
		return call.proceed();
	}

}
