package io.distributedlock.history;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * A single lock as its users see it: who holds it, and who asks for it. Forgets a lease
 * once the holder has closed it and the store cannot have it any more.
 */
final class LockState {

	final String key;

	private final Bounds bounds;

	private final Faults faults;

	/** Leases in the order of their grants. */
	private final Map<LeaseId, HeldLease> leases = new LinkedHashMap<>();

	/** Pending requests in the order of their calls. */
	private final Map<String, PendingRequest> pending = new LinkedHashMap<>();

	/** Requests of unknown outcome, which may have been granted or be in line. */
	private final Map<String, Ghost> ghosts = new HashMap<>();

	private final LocalTurns turns;

	private long highest = Long.MIN_VALUE;

	private Event highestGrant;

	/** The time until which one of the forgotten requests may have had it. */
	private long lastTaken = Long.MIN_VALUE;

	/** The same of those that let no reader in, holders or not. */
	private long lastClosed = Long.MIN_VALUE;

	/** When a grant was released or a request abandoned last. */
	private long lastEnded = Long.MIN_VALUE;

	/**
	 * {@code true} if there were readers or fair requests, for which waiter entries
	 * count.
	 */
	private boolean mixed;

	/** The request that the event has answered, or {@code null}. */
	private PendingRequest settled;

	LockState(String key, Bounds bounds, Faults faults) {
		this.key = key;
		this.bounds = bounds;
		this.faults = faults;
		this.turns = new LocalTurns(bounds);
	}

	Collection<HeldLease> leases() {
		return this.leases.values();
	}

	Collection<PendingRequest> pending() {
		return this.pending.values();
	}

	Map<String, Ghost> ghosts() {
		return this.ghosts;
	}

	long lastTaken() {
		return this.lastTaken;
	}

	long lastClosed() {
		return this.lastClosed;
	}

	long lastEnded() {
		return this.lastEnded;
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
		if (event.op() == Op.TURN) {
			this.turns.apply(event, this.highest, this.pending.values());
			return null;
		}
		if (event.op() == Op.ABANDON && event.phase() == Phase.OK) {
			this.pending.remove(event.request());
			if (this.ghosts.remove(event.request()) != null) {
				taken(event.mode(), event.t());
			}
			this.lastEnded = event.t();
		}
		HeldLease lease = this.leases.get(LeaseId.of(event));
		if (lease != null) {
			apply(event, lease);
		}
		return lease;
	}

	private HeldLease asked(Event event) {
		this.mixed |= event.mode() == Mode.R || event.mode() == Mode.F;
		if (event.phase() == Phase.FAIL && event.outcome().equals(Event.ENTERED_AGAIN)) {
			this.pending.remove(event.request());
		}
		else if (event.phase() != Phase.INVOKE) {
			this.settled = this.pending.remove(event.request());
			this.lastEnded = event.t();
			refused(event);
		}
		else if (event.token() == 0) {
			this.pending.putIfAbsent(event.request(), new PendingRequest(event, this.highest, this.highestGrant));
		}
		if (event.phase() == Phase.INFO) {
			mayBeGranted(event);
		}
		return null;
	}

	/** The release of the locks that a divided request already had is on its way. */
	private void refused(Event event) {
		long back = event.t() + this.bounds.commandNanos();
		if (this.settled != null && this.settled.isDivided()) {
			taken(event.mode(), back);
		}
		else if (event.mode().isExclusive()) {
			this.lastClosed = Math.max(this.lastClosed, back);
		}
	}

	/** The store may have granted the request, or have it in line. */
	void mayBeGranted(Event event) {
		this.ghosts.put(event.request(), new Ghost(event.t() + this.bounds.commandNanos(), event.mode()));
	}

	private HeldLease acquired(Event event) {
		this.settled = this.pending.remove(event.request());
		this.ghosts.remove(event.request());
		HeldLease known = this.leases.get(LeaseId.of(event));
		if (known != null && !known.isClosed()) {
			known.extend(event);
			return known;
		}
		HeldLease lease = new HeldLease(event, this.settled, this.highest, this.highestGrant,
				this.turns.of(event, this.settled));
		this.leases.put(lease.id, lease);
		if (event.mode().isExclusive() && event.token() > this.highest) {
			this.highest = event.token();
			this.highestGrant = event;
		}
		return lease;
	}

	private void apply(Event event, HeldLease lease) {
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
					this.lastEnded = event.t();
				}
			}
			default -> {
				// The other events do not change the held leases.
			}
		}
	}

	/** A process is gone, and its requests may have been granted nevertheless. */
	void killed(String proc, long t) {
		this.turns.killed(proc);
		this.leases.values()
			.stream()
			.filter((lease) -> lease.acquired.proc().equals(proc))
			.forEach((lease) -> lease.killed(t));
		this.pending.values().removeIf((request) -> {
			boolean gone = request.invoked().proc().equals(proc);
			if (gone) {
				this.ghosts.put(request.invoked().request(), new Ghost(t, request.invoked().mode()));
			}
			return gone;
		});
	}

	/** Forget all that is over; permits a while later, because they are counted. */
	void purge(long t) {
		this.leases.values()
			.removeIf((lease) -> lease.isClosed() && isOver(lease.id.mode(), takenUntil(lease),
					(lease.id.mode() == Mode.S) ? t - 2 * this.bounds.waitNanos() : t));
		if (!this.ghosts.isEmpty()) {
			this.ghosts.values().removeIf((ghost) -> isOver(ghost.mode, takenUntil(ghost), t));
		}
	}

	private boolean isOver(Mode mode, long takenUntil, long t) {
		if (takenUntil > t) {
			return false;
		}
		taken(mode, takenUntil);
		return true;
	}

	private void taken(Mode mode, long until) {
		this.lastTaken = Math.max(this.lastTaken, until);
		if (mode.isExclusive()) {
			this.lastClosed = Math.max(this.lastClosed, until);
		}
	}

	/** The time until which the lock may be taken by a holder in the store. */
	long takenUntil(HeldLease lease) {
		long until = lease.takenUntil(this.bounds);
		return lease.mayBeRenewed() ? this.faults.held(this.key, until) : until;
	}

	/** The time until which a request of unknown outcome may block others. */
	long takenUntil(Ghost ghost) {
		return this.faults.held(this.key, ghost.since + grasp(ghost.mode));
	}

	/**
	 * The time until which a request without an answer may have got the lock. One of
	 * several locks is held while the request waits for the others.
	 */
	long takenUntil(PendingRequest request) {
		return request.isDivided() ? Long.MAX_VALUE
				: this.faults.mayHoldUntil(request.invoked(), grasp(request.invoked().mode()));
	}

	/** How long a process that is gone keeps others out, as a holder or as a waiter. */
	long grasp(Mode mode) {
		boolean inLine = this.mixed && mode.isExclusive();
		return inLine ? Math.max(this.bounds.leaseNanos(), this.bounds.waiterEntryNanos()) : this.bounds.leaseNanos();
	}

	int retained() {
		return this.leases.size() + this.pending.size() + this.ghosts.size() + this.turns.retained();
	}

	/**
	 * A request of unknown outcome.
	 *
	 * @param since when the store knew of it at the latest
	 * @param mode the requested mode
	 */
	record Ghost(long since, Mode mode) {
	}

}
