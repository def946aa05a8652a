package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.TemplateLease;
import io.distributedlock.engine.SimulatedEngine;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.store.LockKey;

/** A lease in the hands of a caller, and all that the caller may believe by it. */
final class SimulationHold {

	/**
	 * A loss is told so late at most: the loop's lag, the executor's, and clock rates.
	 */
	private static final long MARGIN_NANOS = 4 * SimulationInstance.LAG_NANOS;

	private static final long WATCH_NANOS = 300_000_000;

	private static final long BRINK_NANOS = 100_000;

	/** A confirmation needs no longer in calm weather. */
	private static final long DOUBT_NANOS = 20 * SimulationInstance.LAG_NANOS;

	private final SimulationCall call;

	private final SimulationInstance instance;

	private final SimulationChecks checks;

	private final Lease lease;

	private final long begunAt;

	private boolean closed;

	private boolean released;

	private boolean told;

	private boolean detached;

	private long believedAt;

	private long doubtedAt;

	SimulationHold(SimulationCall call, Lease lease) {
		this.call = call;
		this.instance = call.instance();
		this.checks = this.instance.world().checks();
		this.lease = lease;
		this.begunAt = this.instance.world().now();
	}

	void begin() {
		this.lease.onLost(this::lost);
		this.instance.world().tokens().begins(this);
		this.checks.begins(this);
		watch();
	}

	private void lost() {
		this.instance.world().trace(() -> this + " is told of the loss");
		if (this.told) {
			this.instance.world().violation("%s was told of a loss twice", this);
		}
		this.told = true;
		this.checks.lost(this);
	}

	/** Look again and again, whether the end of the validity was told. */
	private void watch() {
		if (this.closed || this.told) {
			return;
		}
		if (believes()) {
			this.believedAt = this.instance.world().now();
			this.checks.stillBelieves(this);
			this.instance.at(nextLook(), this::watch);
		}
		else if (mayBeHeld()) {
			doubt();
		}
		else {
			this.instance.after(MARGIN_NANOS, this::requireTold);
		}
	}

	/** It was suspended, or its clock was set: that is soon settled in calm weather. */
	private void doubt() {
		this.lease.isHeld();
		long now = this.instance.world().now();
		this.doubtedAt = (this.doubtedAt > this.believedAt) ? this.doubtedAt : now;
		if (this.instance.world().isCalmSince(this.doubtedAt) && now - this.doubtedAt > DOUBT_NANOS) {
			this.instance.world().violation("%s stays in doubt", this);
		}
		this.instance.after(MARGIN_NANOS, this::watch);
	}

	/** In a while, but also just before the end of the validity, and at the end. */
	private long nextLook() {
		long now = this.instance.world().now();
		GrantLease single = single();
		if (single == null) {
			return now + WATCH_NANOS;
		}
		long end = this.instance.worldTime(single.hold.grant.validUntil());
		return (now + WATCH_NANOS < end - BRINK_NANOS) ? now + WATCH_NANOS
				: (now < end - BRINK_NANOS) ? end - BRINK_NANOS : end;
	}

	private void requireTold() {
		long running = this.instance.resumedAt() + MARGIN_NANOS;
		if (this.instance.world().now() < running) {
			this.instance.at(running, this::requireTold);
		}
		else if (!this.told && !this.closed) {
			this.instance.world().violation("The loss of %s was not told", this);
		}
	}

	/** Looks without being noticed, where that is possible. */
	boolean believes() {
		if (this.closed || this.instance.isCrashed()) {
			return false;
		}
		GrantLease single = single();
		if (single == null) {
			return this.lease.isHeld();
		}
		long validUntil = single.hold.grant.validUntil();
		return validUntil >= 0 && this.instance.nanos() < validUntil && !this.instance.isUnaware()
				&& !single.hold.grant.isInDoubt();
	}

	private boolean mayBeHeld() {
		GrantLease single = single();
		return (single == null) ? !this.lease.isLost() : this.instance.nanos() < single.hold.grant.validUntil();
	}

	/** The lease, unless it consists of several. */
	GrantLease single() {
		return (this.lease instanceof GrantLease single) ? single : null;
	}

	void release() {
		if (this.closed) {
			return;
		}
		this.instance.world().trace(() -> this + " is released");
		this.closed = true;
		this.checks.ends(this);
		CompletionStage<Void> ended = this.lease.release();
		boolean last = single() != null && single().hold.grant.holds() == 0 && !isHandedOn(single().hold.grant);
		ended.whenComplete((ignored, ex) -> {
			this.released = true;
			if (last && ex == null) {
				this.checks.released(this);
			}
		});
		this.checks.awaitsRelease(this);
	}

	/**
	 * Return whether another caller of the instance goes on with the request of a grant:
	 * the grant has ended before the server can have answered.
	 */
	private static boolean isHandedOn(Grant ended) {
		return ended.validUntil() == Grant.RELEASED;
	}

	void detach() {
		this.instance.world().trace(() -> this + " is detached");
		this.detached = true;
		((TemplateLease) this.lease).detach();
	}

	/** Set the lease anew, longer or shorter. */
	void extend(Duration ttl) {
		if (believes()) {
			this.instance.world().trace(() -> this + " is extended to " + ttl);
			this.lease.extendAsync(ttl, null)
				.whenComplete((ignored, ex) -> this.instance.world()
					.trace(() -> this + ((ex != null) ? " was not extended: " + ex : " was extended")));
		}
	}

	boolean isReleased() {
		return this.released;
	}

	/** When it was looked at for the last time while it was held. */
	long believedAt() {
		return this.believedAt;
	}

	boolean reads() {
		return this.call.terms().mode == LockMode.READ;
	}

	long token(LockKey key) {
		return this.lease.fencingToken(key.key());
	}

	/** The hold by which it has a key. */
	Hold part(LockKey key) {
		return SimulatedEngine.holds(this.lease)
			.stream()
			.filter((part) -> part.keys().contains(key))
			.findFirst()
			.orElseThrow();
	}

	SimulationCall call() {
		return this.call;
	}

	SimulationInstance instance() {
		return this.instance;
	}

	long begunAt() {
		return this.begunAt;
	}

	/** Return whether it is in the hands of a call's owner. */
	boolean isOf(SimulationCall other) {
		return this.instance == other.instance() && !this.detached && other.owner().equals(this.call.owner());
	}

	/** Return whether both are holds of one owner. */
	boolean isOfOwner(SimulationHold other) {
		return this.instance == other.instance && this.call.owner() != null
				&& this.call.owner().equals(other.call.owner());
	}

	/** Return whether both are holds of one owner on one acquisition. */
	boolean sharesWith(SimulationHold other, LockKey key) {
		return isOfOwner(other)
				&& (token(key) == other.token(key) || isInside(other, key) || other.isInside(this, key));
	}

	/** A writer that reads has the last one of the tokens that are reserved for it. */
	private boolean isInside(SimulationHold writer, LockKey key) {
		return reads() && !writer.reads() && token(key) > writer.token(key);
	}

	@Override
	public String toString() {
		return this.lease + " of " + this.call;
	}

}
