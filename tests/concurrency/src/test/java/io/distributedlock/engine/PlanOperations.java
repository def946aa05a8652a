package io.distributedlock.engine;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.line.KeyQueue;
import org.jetbrains.lincheck.datastructures.Operation;

/**
 * The store confirms a lease that is not renewed, while a re-entrant holder comes to want
 * renewals.
 */
public class PlanOperations {

	private static final long SENT_AT = 7;

	private static final long ENTERED_AT = 10;

	private final Grant grant = new HeldGrant().grant;

	@Operation
	public void confirmed() {
		this.grant.planRenewal(SENT_AT);
	}

	@Operation
	public void enter() {
		synchronized (KeyQueue.of(this.grant)) {
			this.grant.extend(LoneInstance.terms(LockRequest.of("k")));
		}
		this.grant.renewAt(ENTERED_AT);
	}

	/** Return {@link #SENT_AT} if no renewal is planned. */
	@Operation
	public long renewalDue() {
		return this.grant.renewalDue();
	}

}
