package io.distributedlock.interceptor;

import java.util.Objects;
import java.util.function.Supplier;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Runs guarded methods: from the specification over the request of the call to the
 * invoker for the kind of result. Thread-safe; asks for registries when they are first
 * needed.
 *
 * @since 0.1.0
 */
public final class LockInterceptor implements MethodInterceptor {

	private static final Log logger = LogFactory.getLog(LockInterceptor.class);

	private final MethodLockSpecSource source;

	private final LockTemplates templates;

	private final UnprotectedCallListener listener;

	private final LockFailureHandlers handlers;

	/**
	 * Create an interceptor.
	 * @param source the specifications of guarded methods
	 * @param beanFactory where the registries and {@link LockFailureHandler}s come from
	 * @param profiles the configuration of the registries
	 * @param listener is told of calls without their lock
	 */
	public LockInterceptor(MethodLockSpecSource source, BeanFactory beanFactory, Supplier<LockProfiles> profiles,
			UnprotectedCallListener listener) {
		this.source = source;
		this.templates = new LockTemplates(beanFactory, profiles);
		this.listener = listener;
		this.handlers = new LockFailureHandlers(beanFactory);
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = Objects.requireNonNull(invocation.getThis());
		Class<?> targetClass = ClassUtils.getUserClass(AopUtils.getTargetClass(target));
		MethodLockSpec spec = this.source.getSpec(invocation.getMethod(), targetClass);
		if (spec == null) {
			return invocation.proceed();
		}
		return guard(invocation, spec, new LockCallRoot(spec.method(), targetClass, target, invocation.getArguments()));
	}

	private @Nullable Object guard(MethodInvocation invocation, MethodLockSpec spec, LockCallRoot call)
			throws Throwable {
		spec.tokens().clear(invocation.getArguments());
		return spec.appliesTo(call) ? lock(invocation, spec, call) : proceed(invocation, spec, call);
	}

	/** To the next lock of the method, or to the method. */
	private @Nullable Object proceed(MethodInvocation invocation, MethodLockSpec spec, LockCallRoot call)
			throws Throwable {
		MethodLockSpec inner = spec.inner();
		return (inner != null) ? guard(invocation, inner, call) : invocation.proceed();
	}

	private @Nullable Object lock(MethodInvocation invocation, MethodLockSpec spec, LockCallRoot call)
			throws Throwable {
		LockRequest request = spec.request(call);
		return spec.resultKind()
			.invoke(new GuardedCall(this.templates, spec.registry(), request,
					() -> new Body(invocation, spec, call, request),
					() -> new Body(copy(invocation), spec, call, request)));
	}

	/** Each subscription to a result goes through the advice inside the lock again. */
	private static MethodInvocation copy(MethodInvocation invocation) {
		return (invocation instanceof ProxyMethodInvocation proxied) ? proxied.invocableClone() : invocation;
	}

	private @Nullable Object busy(Body body, LockRequest request, LockNotAcquiredException busy) throws Throwable {
		MethodLockSpec spec = body.spec;
		FallbackMethod fallback = spec.fallbackWhenBusy();
		if (fallback != null) {
			return fallback.invoke(body.call.getTarget(), body.invocation.getArguments(), busy);
		}
		LockFailureDecision decision = spec.isBusyOpen() ? decide(body, request, busy) : LockFailureDecision.defer();
		if (decision.kind() != LockFailureDecision.Kind.DEFER) {
			return follow(decision, body, request, busy);
		}
		if (spec.skipsWhenBusy()) {
			return skip(spec, busy);
		}
		throw busy;
	}

	private @Nullable Object unavailable(Body body, LockRequest request, LockStoreException unavailable)
			throws Throwable {
		MethodLockSpec spec = body.spec;
		LockFailureDecision decision = spec.isUnavailableOpen() ? decide(body, request, unavailable)
				: LockFailureDecision.defer();
		if (decision.kind() != LockFailureDecision.Kind.DEFER) {
			return follow(decision, body, request, unavailable);
		}
		if (spec.skipsWhenUnavailable()) {
			return skip(spec, unavailable);
		}
		if (!spec.proceedsWhenUnavailable()) {
			throw unavailable;
		}
		return proceed(body, request, unavailable);
	}

	private LockFailureDecision decide(Body body, LockRequest request, LockException cause) {
		return this.handlers.decide(failure(body.spec, request, cause));
	}

	private @Nullable Object follow(LockFailureDecision decision, Body body, LockRequest request, LockException cause)
			throws Throwable {
		MethodLockSpec spec = body.spec;
		if (decision.kind() == LockFailureDecision.Kind.RESULT) {
			return LockFailureHandlers.result(failure(spec, request, cause), spec.resultKind(), decision.value());
		}
		if (decision.kind() == LockFailureDecision.Kind.SKIP && spec.canBeEmpty()) {
			return skip(spec, cause);
		}
		if (decision.kind() == LockFailureDecision.Kind.PROCEED && cause instanceof LockStoreException unavailable
				&& spec.tokens().areNone()) {
			return proceed(body, request, unavailable);
		}
		if (decision.kind() != LockFailureDecision.Kind.RETHROW) {
			LockFailureHandlers.notFollowed(failure(spec, request, cause), decision, obstacle(decision, spec, cause));
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

	private static LockFailure failure(MethodLockSpec spec, LockRequest request, LockException cause) {
		return new LockFailure(spec.method(), spec.targetClass(), request, cause);
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

	private @Nullable Object proceed(Body body, LockRequest request, LockStoreException unavailable) throws Throwable {
		logger.warn("Running %s without its lock: %s".formatted(body.spec, unavailable.getMessage()));
		report(request, unavailable);
		return body.proceed();
	}

	private void report(LockRequest request, LockStoreException unavailable) {
		try {
			this.listener.onUnprotectedCall(request, unavailable);
		}
		catch (RuntimeException ex) {
			logger.error("A listener failed", ex);
		}
	}

	/** Remembers whether it was entered: what it throws is not about our lock. */
	private final class Body implements GuardedBody {

		private final MethodInvocation invocation;

		private final MethodLockSpec spec;

		private final LockCallRoot call;

		private final LockRequest request;

		private boolean entered;

		private Body(MethodInvocation invocation, MethodLockSpec spec, LockCallRoot call, LockRequest request) {
			this.invocation = invocation;
			this.spec = spec;
			this.call = call;
			this.request = request;
		}

		/** The arguments of any other invocation are not our own to change. */
		@Override
		public void watchedBy(CoroutineWatch coroutines) {
			if (this.invocation instanceof ProxyMethodInvocation
					&& SuspendingFunctions.isSuspending(this.spec.method())) {
				@Nullable Object[] arguments = this.invocation.getArguments();
				arguments[arguments.length - 1] = coroutines.watched(arguments[arguments.length - 1]);
			}
		}

		@Override
		public @Nullable Object doWithLock(Lease lease) throws Throwable {
			this.entered = true;
			this.spec.tokens().inject(this.invocation.getArguments(), lease, this.call);
			return proceed();
		}

		private @Nullable Object proceed() throws Throwable {
			return LockInterceptor.this.proceed(this.invocation, this.spec, this.call);
		}

		@Override
		public @Nullable Object instead(LockException failure) throws Throwable {
			if (!this.entered && failure instanceof LockNotAcquiredException busy) {
				return busy(this, this.request, busy);
			}
			if (!this.entered && failure instanceof LockStoreException unavailable
					&& unavailable.getKind() == LockStoreException.Kind.UNAVAILABLE) {
				return unavailable(this, this.request, unavailable);
			}
			throw failure;
		}

	}

}
