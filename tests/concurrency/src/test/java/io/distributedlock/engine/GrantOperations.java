package io.distributedlock.engine;

import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.Ownership;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** The operations that may happen to one acquisition at the same time. */
public class GrantOperations {

	private final HeldGrant held = new HeldGrant();

	@Operation
	public boolean abandon() {
		return this.held.grant.end();
	}

	@Operation
	public boolean isHeld(@Param(gen = IntGen.class, conf = "0:2") int at) {
		return this.held.grant.isHeld(HeldGrant.time(at));
	}

	@Operation
	public boolean extend(@Param(gen = IntGen.class, conf = "0:2") int at) {
		return this.held.grant.extend(HeldGrant.time(at), 0, 200);
	}

	@Operation
	public boolean lose(@Param(gen = IntGen.class, conf = "1:2") int reason) {
		return lose(this.held.grant, reason);
	}

	boolean lose(Grant grant, int reason) {
		return grant.lose(HeldGrant.reason(reason));
	}

	@Operation
	public boolean beginRelease(@Param(gen = IntGen.class, conf = "0:2") int at) {
		return this.held.grant.leave(HeldGrant.time(at), Grant.RELEASING) >= 0;
	}

	@Operation
	public boolean released() {
		return this.held.grant.released();
	}

	@Operation
	public void lostAtRelease() {
		this.held.grant.lostAtRelease(Ownership.LOST);
	}

	/**
	 * Return the loss that the loop tells when the timer fires; the loop has one driver.
	 */
	@Operation(nonParallelGroup = "loop")
	public String fire(@Param(gen = IntGen.class, conf = "0:2") int at) {
		return this.held.fire(at);
	}

}
