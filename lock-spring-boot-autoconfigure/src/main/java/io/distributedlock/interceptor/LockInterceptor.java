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

	/**
	 * Create an interceptor.
	 * @param source the specifications of guarded methods
	 * @param beanFactory where the registries come from
	 * @param profiles the configuration of the registries
	 * @param listener is told of calls without their lock
	 */
	public LockInterceptor(MethodLockSpecSource source, BeanFactory beanFactory, Supplier<LockProfiles> profiles,
			UnprotectedCallListener listener) {
		this.source = source;
		this.templates = new LockTemplates(beanFactory, profiles);
		this.listener = listener;
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

	private @Nullable Object busy(MethodInvocation invocation, MethodLockSpec spec, LockNotAcquiredException busy)
			throws Throwable {
		FallbackMethod fallback = spec.fallbackWhenBusy();
		if (fallback != null) {
			return fallback.invoke(Objects.requireNonNull(invocation.getThis()), invocation.getArguments(), busy);
		}
		if (spec.skipsWhenBusy()) {
			logger.debug("Skipped a call: " + busy.getMessage());
			return spec.emptyResult();
		}
		throw busy;
	}

	private @Nullable Object unavailable(Body body, LockStoreException unavailable) throws Throwable {
		MethodLockSpec spec = body.spec;
		if (spec.skipsWhenUnavailable()) {
			logger.warn("Skipped a call of %s: %s".formatted(spec, unavailable.getMessage()));
			return spec.emptyResult();
		}
		if (!spec.proceedsWhenUnavailable()) {
			throw unavailable;
		}
		logger.warn("Running %s without its lock: %s".formatted(spec, unavailable.getMessage()));
		report(body.request, unavailable);
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
				return busy(this.invocation, this.spec, busy);
			}
			if (!this.entered && failure instanceof LockStoreException unavailable
					&& unavailable.getKind() == LockStoreException.Kind.UNAVAILABLE) {
				return unavailable(this, unavailable);
			}
			throw failure;
		}

	}

}
