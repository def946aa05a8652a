package io.distributedlock.history;

import java.util.HashMap;
import java.util.Map;

import io.distributedlock.history.Event.Mode;

/**
 * C7: no writer holds the lock together with a reader, and readers that come after a
 * writer was in line, or long after it began to wait, do not join the readers that hold
 * it. After a writer, the readers that waited may have a turn before the next one. One
 * request may hold both: a downgrade.
 */
final class ReadWriteRule extends Rule {

	private final Bounds bounds;

	private final Faults faults;

	private final DetectionRule detection;

	private final WritersInLine writers;

	/** The time until which the last writer may have had the lock, by key. */
	private final Map<String, Long> lastWriter = new HashMap<>();

	/** The largest token of a writer that is known, by key. */
	private final Map<String, Long> lastToken = new HashMap<>();

	ReadWriteRule(Findings findings, Bounds bounds, Faults faults, DetectionRule detection) {
		super(RuleName.C7_READ_WRITE, findings);
		this.detection = detection;
		this.bounds = bounds;
		this.faults = faults;
		this.writers = new WritersInLine(bounds, faults);
	}

	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		if (event.outcome().isEmpty() && event.mode().isExclusive()) {
			this.writers.accept(event);
		}
		if (lease == null || lease.id.mode() == Mode.S) {
			return;
		}
		if (lease.id.mode().isExclusive()) {
			this.lastWriter.put(event.key(), lease.takenUntil(this.bounds));
			this.lastToken.merge(event.key(), event.token(), Math::max);
		}
		else if (isGrant(event, lease) && !followsUnseenWriter(event)) {
			checkLine(event, state, lease);
			checkWriters(event, state, lease);
		}
		if (isBegin(event, lease) && lease.believes(event.t())) {
			checkOthers(event, state, lease);
		}
	}

	/**
	 * Return whether the reader has the token of a writer whose caller had given up when
	 * the store gave it the lock. The end of that writer let readers in, as that of any
	 * other.
	 */
	private boolean followsUnseenWriter(Event reader) {
		return reader.token() > this.lastToken.getOrDefault(reader.key(), Long.MAX_VALUE);
	}

	private void checkOthers(Event event, LockState state, HeldLease lease) {
		for (HeldLease other : state.leases()) {
			boolean conflict = other.id.mode() != Mode.S
					&& other.id.mode().isExclusive() != lease.id.mode().isExclusive()
					&& !other.id.request().equals(lease.id.request()) && other.believes(event.t());
			if (conflict && !this.detection.isExcused(other, lease, event)) {
				violation(event.key(), "%s (%s) and %s (%s) both believe".formatted(other.id.request(), other.id.mode(),
						lease.id.request(), lease.id.mode()), other.acquired, event);
			}
		}
	}

	private void checkLine(Event event, LockState state, HeldLease reader) {
		long asked = reader.invoked.t();
		Event writer = this.writers.before(event, asked);
		if (writer != null && new Occupancy(state, this.faults, null).exclusive() < asked && !reads(state, reader)) {
			violation(event.key(),
					"%s may read although %s was in line to write".formatted(event.request(), writer.request()), writer,
					event);
		}
	}

	private void checkWriters(Event event, LockState state, HeldLease reader) {
		long lastWriter = this.lastWriter.getOrDefault(event.key(), Long.MIN_VALUE);
		long asked = reader.invoked.t();
		for (PendingRequest writer : state.pending()) {
			Event call = writer.invoked();
			if (call.mode().isExclusive() && !writer.isDivided() && lastWriter < asked
					&& this.faults.ableSince(call) <= asked - this.bounds.waitNanos()
					&& call.t() + this.bounds.waitNanos() < asked && !reads(state, reader)
					&& this.faults.forgetting(event.key(), asked - this.bounds.waitNanos(), event.t()) == null) {
				violation(event.key(),
						"%s may read although %s has waited to write".formatted(event.request(), call.request()), call,
						event);
				return;
			}
		}
	}

	/** Return whether the same request reads already. */
	private static boolean reads(LockState state, HeldLease reader) {
		return state.leases()
			.stream()
			.anyMatch((other) -> other != reader && other.id.request().equals(reader.id.request()));
	}

	/** A process is gone, and so are its waiters. */
	void killed(String proc) {
		this.writers.killed(proc);
	}

	@Override
	int retained() {
		return this.lastWriter.size() + this.lastToken.size() + this.writers.retained();
	}

}
