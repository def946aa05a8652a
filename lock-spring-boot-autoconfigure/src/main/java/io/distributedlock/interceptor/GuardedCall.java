package io.distributedlock.interceptor;

import java.util.function.Supplier;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.reactive.ReactiveLockTemplate;

/**
 * One call of a guarded method: what to lock, and what to run.
 *
 * @param templates where the templates come from
 * @param registry the bean name of the registry
 * @param request what to lock and how
 * @param body the body, for the one attempt of this call
 * @param bodyOfSubscription a body for each subscription to the result of this call
 */
record GuardedCall(LockTemplates templates, String registry, LockRequest request, Supplier<GuardedBody> body,
		Supplier<GuardedBody> bodyOfSubscription) {

	LockTemplate template() {
		return this.templates.get(this.registry);
	}

	ReactiveLockTemplate reactiveTemplate() {
		return this.templates.getReactive(this.registry);
	}

}
