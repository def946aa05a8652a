package io.distributedlock.engine;

import io.distributedlock.engine.internal.lease.Grant;

/**
 * The fault that must be found: a loss checks first and acts afterwards, not atomically.
 */
public class CheckThenActGrantOperations extends GrantOperations {

	@Override
	boolean lose(Grant grant, int reason) {
		boolean held = grant.validUntil() >= 0;
		super.lose(grant, reason);
		return held;
	}

}
