package io.distributedlock.engine.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;

/** Conditions for the leases of every world, checked when something happens. */
final class SimulationChecks {

	/** A renewal needs no longer in calm weather. */
	private static final long MARGIN_NANOS = 10 * SimulationInstance.LAG_NANOS;

	/** The server counts in whole milliseconds. */
	private static final long SERVER_TICKS_NANOS = 2_000_000;

	private final SimulationWorld world;

	/** By key, who may believe to hold it. */
	private final Map<LockKey, List<SimulationHold>> holds = new HashMap<>();

	/** By key, who got the largest token so far. */
	private final Map<LockKey, SimulationHold> last = new HashMap<>();

	/** By instance and key, when a lease was lost. */
	private final Map<String, Long> lost = new HashMap<>();

	/** By key, until when it was to stay taken. */
	private final Map<LockKey, Long> keptUntil = new HashMap<>();

	/** By key, until when it is closed after a lease that was lost. */
	private final Map<LockKey, Closure> closed = new HashMap<>();

	private final Set<SimulationHold> releasing = new LinkedHashSet<>();

	private int acquired;

	SimulationChecks(SimulationWorld world) {
		this.world = world;
		SimulationOptions.KEYS.forEach((key) -> this.holds.put(key, new ArrayList<>()));
	}

	int acquired() {
		return this.acquired;
	}

	void begins(SimulationHold hold) {
		this.acquired++;
		for (LockKey key : hold.call().keys()) {
			List<SimulationHold> others = this.holds.get(key);
			others.removeIf((other) -> !other.believes());
			if (hold.believes()) {
				checkOpen(hold, key);
				checkAlone(hold, key, others);
				others.add(hold);
			}
		}
		if (hold.believes()) {
			stillBelieves(hold);
		}
	}

	private void checkAlone(SimulationHold hold, LockKey key, List<SimulationHold> others) {
		boolean excused = this.world.server().isExcused(key.encoded());
		if (hold.call().terms().mode == LockMode.SEMAPHORE) {
			int taken = hold.call().terms().take + others.stream().mapToInt((other) -> other.call().terms().take).sum();
			if (taken > hold.call().terms().permits && !excused) {
				this.world.violation("%s is held by too many: %s and %s", key, others, hold);
			}
			return;
		}
		for (SimulationHold other : others) {
			if (!hold.sharesWith(other, key) && !(hold.reads() && other.reads()) && !excused) {
				this.world.violation("%s is held by two: %s and %s", key, other, hold);
			}
		}
		SimulationHold previous = this.last.get(key);
		if (!excused) {
			checkKept(hold, key, previous);
		}
		if (previous == null || hold.token(key) > previous.token(key)) {
			this.last.put(key, hold);
		}
		else if (!sharesWithAny(hold, key, previous, others) && !excused && (!hold.reads() || (!previous.reads()
				&& hold.token(key) < previous.token(key) && !this.world.tokens().mayLackWriters()))) {
			this.world.violation("The token of %s is not larger than that of %s", hold, previous);
		}
	}

	private static boolean sharesWithAny(SimulationHold hold, LockKey key, SimulationHold previous,
			List<SimulationHold> others) {
		return hold.sharesWith(previous, key) || others.stream().anyMatch((other) -> hold.sharesWith(other, key));
	}

	/**
	 * Its request was not sent before the call began, so it stays taken that long at
	 * least.
	 */
	private void checkKept(SimulationHold hold, LockKey key, SimulationHold previous) {
		boolean grown = previous == null || hold.token(key) > previous.token(key);
		if ((grown || !hold.sharesWith(previous, key)) && this.world.now() < this.keptUntil.getOrDefault(key, 0L)) {
			this.world.violation("%s was to be kept when %s came", key, hold);
		}
		if (grown) {
			long keepFor = hold.call().terms().keepFor.toNanos();
			this.keptUntil.put(key, hold.call().begunAt() + keepFor - SERVER_TICKS_NANOS);
		}
	}

	/** The owner of the lost lease may read beside it up to its end, and go on. */
	private void checkOpen(SimulationHold hold, LockKey key) {
		Closure closure = this.closed.get(key);
		if (closure != null && this.world.now() < closure.until && !(hold.reads() && closure.lost.isOfOwner(hold))
				&& !this.world.server().isExcused(key.encoded())) {
			this.world.violation("%s was closed when %s came", key, hold);
		}
	}

	/** The server has lost a lock, or its clock has gone forward. */
	void forgotten(LockKey key) {
		this.keptUntil.remove(key);
		this.closed.remove(key);
	}

	/** The server has to agree, unless it has forgotten something. */
	void stillBelieves(SimulationHold hold) {
		GrantLease single = hold.single();
		for (LockKey key : hold.call().keys()) {
			if (single != null && !this.world.server().isExcused(key.encoded())
					&& !this.world.server().isHeldBy(key, single.hold.grant.request())) {
				this.world.violation("%s believes to hold %s, but the server does not", hold, key);
			}
		}
	}

	/** In calm weather a lease is not lost that there was time to renew. */
	void lost(SimulationHold hold) {
		hold.call().keys().forEach((key) -> this.lost.put(hold.instance() + key.key(), this.world.now()));
		GrantLease single = hold.single();
		if (single != null) {
			long until = hold.believedAt() + hold.call().terms().lockDelay.toNanos() - SERVER_TICKS_NANOS;
			hold.call().keys().forEach((key) -> closes(key, new Closure(hold, until)));
		}
		if (single != null && hold.call().terms().renew && single.hold.grant.lossReason() == LossReason.EXPIRED
				&& this.world.isCalmSince(hold.begunAt()) && this.world.now() - hold.begunAt() > MARGIN_NANOS) {
			this.world.violation("%s was lost without a reason", hold);
		}
	}

	/** Unless the server has forgotten the lease or its delay meanwhile. */
	private void closes(LockKey key, Closure closure) {
		if (!this.world.server().wasExcused(key.encoded(), closure.lost.believedAt())) {
			this.closed.merge(key, closure, (one, other) -> (one.until > other.until) ? one : other);
		}
	}

	/** The holds that an owner has when it asks for a single key. */
	List<SimulationHold> ofOwner(SimulationCall call) {
		List<SimulationHold> own = new ArrayList<>();
		if (call.owner() != null && call.keys().size() == 1) {
			this.holds.get(call.keys().get(0))
				.stream()
				.filter((hold) -> hold.believes() && hold.isOf(call) && hold.single() != null)
				.forEach(own::add);
		}
		return own;
	}

	/** Who holds a lock may read besides, and who reads may not write. */
	void failed(SimulationCall call, List<SimulationHold> own, Throwable failure) {
		LockMode mode = call.terms().mode;
		boolean excused = call.keys().stream().anyMatch((key) -> this.world.server().isExcused(key.encoded()));
		boolean reads = mode == LockMode.READ;
		boolean blocked = own.stream().anyMatch((hold) -> hold.believes() && hold.reads() != reads);
		boolean busy = failure instanceof LockNotAcquiredException && !(failure instanceof LockRegistryClosedException);
		if (mode != LockMode.SEMAPHORE && blocked && busy && !excused) {
			this.world.violation("%s waited for itself", call);
		}
	}

	void ends(SimulationHold hold) {
		hold.call().keys().forEach((key) -> this.holds.get(key).remove(hold));
	}

	void awaitsRelease(SimulationHold hold) {
		if (!hold.isReleased()) {
			this.releasing.add(hold);
		}
	}

	/** In calm weather a release is over when its caller is told so. */
	void released(SimulationHold hold) {
		for (LockKey key : hold.call().keys()) {
			if (this.world.isCalmSince(hold.begunAt())
					&& this.world.server().isHeldBy(key, hold.single().hold.grant.request())) {
				this.world.violation("%s was released, but the server still has it", hold);
			}
		}
	}

	/** Return whether every release has come to an end. */
	boolean isQuiet() {
		this.releasing.removeIf((hold) -> hold.isReleased() || hold.instance().isCrashed());
		return this.releasing.isEmpty();
	}

	/** Since when a lease of an instance is lost, or long ago. */
	long lostAt(SimulationInstance instance, LockKey key) {
		return this.lost.getOrDefault(instance + key.key(), -SimulationOptions.LONGEST_TTL_NANOS);
	}

	/** Whatever an instance that is at rest has at the server, it has lost just now. */
	void checkNothingOrphaned() {
		for (LockKey key : SimulationOptions.KEYS) {
			for (RequestId holder : this.world.server().holders(key)) {
				SimulationInstance instance = this.world.instances().get((int) holder.instanceBits() - 1);
				long lost = this.world.now() - lostAt(instance, key);
				if (!instance.isGone() && lost >= SimulationOptions.LONGEST_TTL_NANOS) {
					this.world.violation("%s has %s, which no caller wants any more", holder, key);
				}
			}
		}
	}

	void checkAllEnded() {
		if (!isQuiet()) {
			this.world.violation("Releases without an end: %s", this.releasing);
		}
		this.holds.forEach((key, all) -> {
			all.removeIf((hold) -> !hold.believes());
			if (!all.isEmpty()) {
				this.world.violation("%s is held for ever: %s", key, all);
			}
		});
	}

	/**
	 * The delay after a loss.
	 *
	 * @param lost the hold that was lost
	 * @param until its end
	 */
	private record Closure(SimulationHold lost, long until) {
	}

}
