package io.distributedlock.history;

import java.util.Comparator;
import java.util.stream.Stream;

import io.distributedlock.history.Event.Mode;

/** The time until which a lock may have been taken, by all that is known of it. */
final class Occupancy {

	private final LockState state;

	private final Faults faults;

	/** A lease that does not count, or {@code null}. */
	private final HeldLease except;

	Occupancy(LockState state, Faults faults, HeldLease except) {
		this.state = state;
		this.faults = faults;
		this.except = except;
	}

	/** The time until which any request may have had it. */
	long taken() {
		return Math.max(this.state.lastTaken(), undone(latest(false)));
	}

	/** The time until which an exclusive request may have had it, or waited for it. */
	long closed() {
		if (this.state.pending().stream().anyMatch((request) -> request.invoked().mode().isExclusive())) {
			return Long.MAX_VALUE;
		}
		return Math.max(this.state.lastClosed(), undone(latest(true)));
	}

	/** The time until which an exclusive request may have had it. */
	long exclusive() {
		return Math.max(this.state.lastClosed(), undone(latest(true)));
	}

	/** The time until which all permits of a semaphore may have been taken. */
	long full(long limit) {
		return undone(
				untils(false).sorted(Comparator.reverseOrder()).skip(limit - 1).findFirst().orElse(Long.MIN_VALUE));
	}

	private long latest(boolean exclusive) {
		return untils(exclusive).max(Comparator.naturalOrder()).orElse(Long.MIN_VALUE);
	}

	private Stream<Long> untils(boolean exclusive) {
		Stream<Long> leases = this.state.leases()
			.stream()
			.filter((lease) -> lease != this.except && counts(lease.id.mode(), exclusive))
			.map(this.state::takenUntil);
		Stream<Long> ghosts = this.state.ghosts()
			.values()
			.stream()
			.filter((ghost) -> counts(ghost.mode(), exclusive))
			.map(this.state::takenUntil);
		Stream<Long> pending = this.state.pending()
			.stream()
			.filter((request) -> counts(request.invoked().mode(), exclusive))
			.map(this.state::takenUntil);
		return Stream.of(leases, ghosts, pending).flatMap((each) -> each);
	}

	private static boolean counts(Mode mode, boolean exclusive) {
		return !exclusive || mode.isExclusive();
	}

	/** A fail-over may have undone its release. */
	private long undone(long until) {
		return Math.max(until,
				this.faults.undoneUntil(this.state.key, this.state.lastEnded(), this.state.grasp(Mode.X)));
	}

}
