package io.distributedlock.interceptor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockedCallback;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * An attempt to run a guarded method under one of its locks. For one thread or
 * subscription.
 */
final class GuardedCall implements LockedCallback<@Nullable Object, Throwable> {

	private final MethodInvocation invocation;

	private final MethodLockSpec spec;

	private final LockRequest request;

	private final LockFailurePolicy policy;

	/** Set when the body begins: a later failure is one of the body, not of this lock. */
	private boolean entered;

	private GuardedCall(MethodInvocation invocation, MethodLockSpec spec, LockRequest request,
			LockFailurePolicy policy) {
		this.invocation = invocation;
		this.spec = spec;
		this.request = request;
		this.policy = policy;
	}

	/** Run a method under the locks that apply, beginning with the outermost. */
	static @Nullable Object run(MethodInvocation invocation, @Nullable MethodLockSpec outermost,
			LockFailurePolicy policy) throws Throwable {
		Object target = Objects.requireNonNull(invocation.getThis());
		@Nullable Object[] arguments = invocation.getArguments();
		for (MethodLockSpec spec = outermost; spec != null; spec = spec.inner()) {
			spec.clearTokens(arguments);
			if (spec.appliesTo(target, arguments)) {
				return new GuardedCall(invocation, spec, spec.request(target, arguments), policy).invoke();
			}
		}
		return invocation.proceed();
	}

	/** Take the lock now, or with each subscription to a reactive result. */
	@SuppressWarnings("NullAway") // a body without a stage completes with null
	private @Nullable Object invoke() throws Throwable {
		ResultKind kind = this.spec.resultKind();
		if (kind instanceof ReactiveResultKind reactive) {
			return reactive.invoke(this);
		}
		try {
			if (kind.stage) {
				return this.spec.template()
					.executeAsync(this.request, (lease) -> (CompletionStage<?>) doWithLock(lease));
			}
			LockedCallback<@Nullable Object, Throwable> body = (kind.type != Object.class) ? this
					: (lease) -> LateResults.checked(this.spec, doWithLock(lease));
			return this.spec.template().execute(this.request, body);
		}
		catch (LockException ex) {
			return instead(ex);
		}
	}

	/** A copy, because each subscription runs the advice inside the lock again. */
	GuardedCall forSubscription() {
		MethodInvocation own = (this.invocation instanceof ProxyMethodInvocation proxied) ? proxied.invocableClone()
				: this.invocation;
		return new GuardedCall(own, this.spec, this.request, this.policy);
	}

	/**
	 * Let a watch know the coroutines of the body, before it runs. Only the arguments of
	 * a proxy's invocation may be changed.
	 */
	void watchedBy(CoroutineWatch coroutines) {
		if (this.invocation instanceof ProxyMethodInvocation && SuspendingFunctions.isSuspending(this.spec.method())) {
			@Nullable Object[] arguments = this.invocation.getArguments();
			arguments[arguments.length - 1] = coroutines.watched(arguments[arguments.length - 1]);
		}
	}

	@Override
	public @Nullable Object doWithLock(Lease lease) throws Throwable {
		this.entered = true;
		this.spec.injectTokens(target(), this.invocation.getArguments(), lease);
		return proceed();
	}

	/** Proceed to the next lock of the method, or to the method. */
	@Nullable Object proceed() throws Throwable {
		return run(this.invocation, this.spec.inner(), this.policy);
	}

	/**
	 * The result of a failed attempt, by the policy. A failure of the body, or one that
	 * is neither "busy" nor "unavailable", is thrown.
	 */
	@Nullable Object instead(LockException failure) throws Throwable {
		boolean handled = failure instanceof LockNotAcquiredException || failure instanceof LockStoreException store
				&& store.getKind() == LockStoreException.Kind.UNAVAILABLE;
		if (this.entered || !handled) {
			throw failure;
		}
		return this.policy.handle(this, failure);
	}

	@Nullable Object fallBack(FallbackMethod fallback, LockNotAcquiredException busy) throws Throwable {
		return fallback.invoke(target(), this.invocation.getArguments(), busy);
	}

	private Object target() {
		return Objects.requireNonNull(this.invocation.getThis());
	}

	/** A copy of the arguments, without the continuation of a suspending function. */
	List<@Nullable Object> arguments() {
		List<@Nullable Object> arguments = new ArrayList<>(Arrays.asList(this.invocation.getArguments()));
		if (SuspendingFunctions.isSuspending(this.spec.method())) {
			arguments.remove(arguments.size() - 1);
		}
		return Collections.unmodifiableList(arguments);
	}

	MethodLockSpec spec() {
		return this.spec;
	}

	LockRequest request() {
		return this.request;
	}

}
