package io.distributedlock.engine;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** The lock is stolen while its timer fires. */
public class LossOperations {

	private final HeldGrant held = new HeldGrant();

	@Operation
	public boolean lose(@Param(gen = IntGen.class, conf = "1:2") int reason) {
		return this.held.grant.lose(HeldGrant.reason(reason));
	}

	@Operation(nonParallelGroup = "loop")
	public String fire(@Param(gen = IntGen.class, conf = "0:0") int at) {
		return this.held.fire(at);
	}

}
