package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.line.GrantLease;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * A lease that is closed, released, detached, lost, renewed and expired at once. The
 * order of the operations is not known; the final state is checked.
 */
public class LeaseOperations {

	private final PermissiveStore store = new PermissiveStore();

	private final LoneInstance instance = new LoneInstance(this.store);

	private final GrantLease lease = this.instance.ask(LockRequest.of("k").ownedBy("owner")).join();

	private final AtomicInteger actions = new AtomicInteger();

	private final AtomicInteger refused = new AtomicInteger();

	public LeaseOperations() {
		this.lease.onLost(this.actions::incrementAndGet);
	}

	@Operation
	public void close() {
		try {
			close(this.lease);
		}
		catch (LockLostException ex) {
			this.refused.incrementAndGet();
		}
	}

	void close(GrantLease closed) {
		closed.close();
	}

	int releasesSent() {
		return this.store.releases();
	}

	@Operation
	public void discard() {
		this.lease.discard();
	}

	@Operation
	public void detach() {
		this.lease.detach();
	}

	@Operation
	public void lose(@Param(gen = IntGen.class, conf = "1:2") int reason) {
		this.lease.hold.grant.lose(HeldGrant.reason(reason));
	}

	@Operation
	public void runOut() {
		this.instance.advance(Duration.ofSeconds(40));
		this.lease.isHeld();
	}

	/** Timers: renewals, and losses to be told. */
	@Operation(nonParallelGroup = "loop")
	public void runDue() {
		this.instance.advance(Duration.ofSeconds(10));
		this.instance.runDue();
	}

	@Validate
	public void endedOnce() {
		close();
		this.instance.runDue();
		boolean lost = this.lease.hold.grant.isLost();
		check(this.instance.lost() == (lost ? 1 : 0), "losses told", this.instance.lost());
		check(this.instance.released() == (lost ? 0 : 1), "releases told", this.instance.released());
		check(releasesSent() <= 1, "releases sent", releasesSent());
		check(this.actions.get() <= (lost ? 1 : 0), "actions run", this.actions.get());
		check(this.refused.get() <= (lost ? 1 : 0), "closings refused", this.refused.get());
		check(this.instance.engine.instance.heldCount() == 0, "held", this.instance.engine.instance.heldCount());
		check(this.instance.engine.queues.index.size() == 0, "queues", this.instance.engine.queues.index.size());
		check(this.instance.timers() == 0, "timers", this.instance.timers());
	}

	private static void check(boolean right, String what, int count) {
		if (!right) {
			throw new IllegalStateException(what + ": " + count);
		}
	}

}
