package io.distributedlock.interceptor;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockedCallback;
import io.distributedlock.interceptor.expression.LockCallRoot;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * One attempt to run a guarded method under one of its locks: what to lock, what to run,
 * and what the caller gets where the lock cannot be had. For one thread or subscription.
 */
final class GuardedCall implements LockedCallback<@Nullable Object, Throwable> {

	private final MethodInvocation invocation;

	private final MethodLockSpec spec;

	private final LockCallRoot root;

	private final LockRequest request;

	private final LockFailurePolicy policy;

	/** What the body throws is not about this lock. */
	private boolean entered;

	private GuardedCall(MethodInvocation invocation, MethodLockSpec spec, LockCallRoot root, LockRequest request,
			LockFailurePolicy policy) {
		this.invocation = invocation;
		this.spec = spec;
		this.root = root;
		this.request = request;
		this.policy = policy;
	}

	/**
	 * Run a method under those of its locks that apply.
	 * @param invocation the call of the method
	 * @param outermost the first of the locks that are still to take, if there is one
	 * @param root what expressions read
	 * @param policy decides about locks that cannot be had
	 * @return what the caller gets
	 * @throws Throwable what the method throws, or what is wrong with a lock
	 */
	static @Nullable Object run(MethodInvocation invocation, @Nullable MethodLockSpec outermost, LockCallRoot root,
			LockFailurePolicy policy) throws Throwable {
		for (MethodLockSpec spec = outermost; spec != null; spec = spec.inner()) {
			spec.tokens().clear(invocation.getArguments());
			if (spec.appliesTo(root)) {
				return spec.resultKind().invoke(new GuardedCall(invocation, spec, root, spec.request(root), policy));
			}
		}
		return invocation.proceed();
	}

	/** Each subscription to a result goes through the advice inside the lock again. */
	GuardedCall forSubscription() {
		MethodInvocation own = (this.invocation instanceof ProxyMethodInvocation proxied) ? proxied.invocableClone()
				: this.invocation;
		return new GuardedCall(own, this.spec, this.root, this.request, this.policy);
	}

	/**
	 * Let the coroutines of the body be known. Called before the body is run, if at all.
	 * The arguments of an invocation that is no proxy's are not our own to change.
	 * @param coroutines is told of them
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
		this.spec.tokens().inject(this.invocation.getArguments(), lease, this.root);
		return proceed();
	}

	/** To the next lock of the method, or to the method. */
	@Nullable Object proceed() throws Throwable {
		return run(this.invocation, this.spec.inner(), this.root, this.policy);
	}

	/**
	 * What the caller gets where the attempt has failed.
	 * @param failure why
	 * @return the result of what is declared for that case
	 * @throws Throwable the failure itself, if nothing is declared or it comes from the
	 * body
	 */
	@Nullable Object instead(LockException failure) throws Throwable {
		if (!this.entered && failure instanceof LockNotAcquiredException busy) {
			return this.policy.busy(this, busy);
		}
		if (!this.entered && failure instanceof LockStoreException unavailable
				&& unavailable.getKind() == LockStoreException.Kind.UNAVAILABLE) {
			return this.policy.unavailable(this, unavailable);
		}
		throw failure;
	}

	@Nullable Object fallBack(FallbackMethod fallback, LockNotAcquiredException busy) throws Throwable {
		return fallback.invoke(this.root.getTarget(), this.invocation.getArguments(), busy);
	}

	MethodLockSpec spec() {
		return this.spec;
	}

	LockRequest request() {
		return this.request;
	}

}
