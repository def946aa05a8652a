package io.distributedlock.history;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * One lock as its users see it: who holds it, and who asks for it. Forgets a lease once
 * the holder has closed it and the store cannot have it any more.
 */
final class LockState {

	final String key;

	private final Bounds bounds;

	private final Faults faults;

	/** In the order in which they were got. */
	private final Map<LeaseId, HeldLease> leases = new LinkedHashMap<>();

	/** In the order in which they were called. */
	private final Map<String, PendingRequest> pending = new LinkedHashMap<>();

	/** Requests that may have been granted without anybody knowing, and until when. */
	private final Map<String, Long> ghosts = new HashMap<>();

	private long highest = Long.MIN_VALUE;

	private Event highestGrant;

	/** Until when one of those that are forgotten may have had it. */
	private long lastTaken = Long.MIN_VALUE;

	/** The request that the event has answered, or {@code null}. */
	private PendingRequest settled;

	LockState(String key, Bounds bounds, Faults faults) {
		this.key = key;
		this.bounds = bounds;
		this.faults = faults;
	}

	Collection<HeldLease> leases() {
		return this.leases.values();
	}

	Collection<PendingRequest> pending() {
		return this.pending.values();
	}

	Map<String, Long> ghosts() {
		return this.ghosts;
	}

	HeldLease lease(LeaseId id) {
		return this.leases.get(id);
	}

	long highest() {
		return this.highest;
	}

	Event highestGrant() {
		return this.highestGrant;
	}

	PendingRequest settled() {
		return this.settled;
	}

	/**
	 * Take an event in.
	 * @return the lease it is about, or {@code null} if there is none
	 */
	HeldLease apply(Event event) {
		this.settled = null;
		if (event.op() == Op.ACQUIRE) {
			return (event.phase() == Phase.OK) ? acquired(event) : asked(event);
		}
		if (event.op() == Op.ABANDON && event.phase() == Phase.OK) {
			this.pending.remove(event.request());
			if (this.ghosts.remove(event.request()) != null) {
				this.lastTaken = Math.max(this.lastTaken, event.t());
			}
		}
		HeldLease lease = this.leases.get(LeaseId.of(event));
		if (lease != null) {
			apply(event, lease);
		}
		return lease;
	}

	private HeldLease asked(Event event) {
		if (event.phase() != Phase.INVOKE) {
			this.settled = this.pending.remove(event.request());
		}
		else if (event.token() == 0) {
			this.pending.putIfAbsent(event.request(), new PendingRequest(event, this.highest, this.highestGrant));
		}
		if (event.phase() == Phase.INFO) {
			this.ghosts.put(event.request(), event.t() + this.bounds.leaseNanos() + this.bounds.commandNanos());
		}
		return null;
	}

	private HeldLease acquired(Event event) {
		this.settled = this.pending.remove(event.request());
		this.ghosts.remove(event.request());
		HeldLease known = this.leases.get(LeaseId.of(event));
		if (known != null && !known.isClosed()) {
			known.extend(event);
			return known;
		}
		HeldLease lease = new HeldLease(event, this.settled, this.highest, this.highestGrant);
		this.leases.put(lease.id, lease);
		if (event.mode() == Event.Mode.X && event.token() > this.highest) {
			this.highest = event.token();
			this.highestGrant = event;
		}
		return lease;
	}

	private static void apply(Event event, HeldLease lease) {
		switch (event.op()) {
			case RENEW -> {
				if (event.phase() == Phase.OK) {
					lease.extend(event);
				}
				else if (event.phase() == Phase.INVOKE) {
					lease.renewing(event.t());
				}
				else if (event.phase() == Phase.FAIL) {
					lease.notRenewed();
				}
			}
			case LOST -> lease.lost(event.t());
			case RELEASE -> {
				if (event.phase() == Phase.INVOKE) {
					lease.releasing(event.t());
				}
				else {
					lease.released(event);
				}
			}
			default -> {
				// The others change nothing in what is held.
			}
		}
	}

	/** A process is gone, and what it asked for may have been granted nevertheless. */
	void killed(String proc, long t) {
		this.leases.values()
			.stream()
			.filter((lease) -> lease.acquired.proc().equals(proc))
			.forEach((lease) -> lease.killed(t));
		this.pending.values().removeIf((request) -> {
			boolean gone = request.invoked().proc().equals(proc);
			if (gone) {
				this.ghosts.put(request.invoked().request(), t + this.bounds.leaseNanos());
			}
			return gone;
		});
	}

	/** Forget what is over. */
	void purge(long t) {
		this.leases.values().removeIf((lease) -> lease.isClosed() && isOver(takenUntil(lease), t));
		if (!this.ghosts.isEmpty()) {
			this.ghosts.values().removeIf((until) -> isOver(this.faults.held(until), t));
		}
	}

	private long takenUntil(HeldLease lease) {
		long until = lease.takenUntil(this.bounds);
		return lease.mayBeRenewed() ? this.faults.held(until) : until;
	}

	/**
	 * Until when the store may have had the lock taken.
	 * @param except a lease that does not count, or {@code null}
	 */
	long takenUntilWithout(HeldLease except) {
		long taken = this.lastTaken;
		for (HeldLease lease : this.leases.values()) {
			taken = (lease != except) ? Math.max(taken, takenUntil(lease)) : taken;
		}
		for (long until : this.ghosts.values()) {
			taken = Math.max(taken, this.faults.held(until));
		}
		for (PendingRequest request : this.pending.values()) {
			taken = Math.max(taken, this.faults.mayHoldUntil(request.invoked()));
		}
		return taken;
	}

	private boolean isOver(long takenUntil, long t) {
		if (takenUntil > t) {
			return false;
		}
		this.lastTaken = Math.max(this.lastTaken, takenUntil);
		return true;
	}

	int retained() {
		return this.leases.size() + this.pending.size() + this.ghosts.size();
	}

}
