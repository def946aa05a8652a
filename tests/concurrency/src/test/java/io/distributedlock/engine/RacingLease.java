package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.line.GrantLease;

/** A lease that several threads lay hands on. */
class RacingLease {

	final LoneInstance instance = new LoneInstance(new PermissiveStore());

	final GrantLease lease = this.instance.ask(LockRequest.of("k").ownedBy("owner")).join();

	private final AtomicInteger actions = new AtomicInteger();

	void registerAction() {
		this.lease.onLost(this.actions::incrementAndGet);
	}

	int actions() {
		return this.actions.get();
	}

	String close() {
		return close(this.lease);
	}

	static String close(GrantLease lease) {
		try {
			lease.close();
			return "released";
		}
		catch (LockLostException ex) {
			return "lost";
		}
	}

	boolean lose() {
		return this.lease.hold.grant.lose(LossReason.NOT_OWNER);
	}

	/** The time of the lease is over. */
	boolean runOut() {
		this.instance.advance(Duration.ofSeconds(40));
		return this.lease.isHeld();
	}

	/** A renewal is confirmed that was sent now. */
	boolean renew() {
		long now = this.instance.now();
		return this.lease.hold.grant.extend(now, now, now + Duration.ofSeconds(60).toNanos());
	}

	/** The reported ends of the lease, and whether anything is left of it. */
	String aftermath() {
		this.instance.runDue();
		Engine engine = this.instance.engine;
		int left = engine.instance.heldCount() + engine.queues.index.size() + this.instance.timers();
		return "%d lost %d released %d left".formatted(this.instance.lost(), this.instance.released(), left);
	}

}
