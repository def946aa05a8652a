package io.distributedlock.engine;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Where and when a tracked lease was acquired. It is reachable from the grant for as long
 * as that is held, while the lease is reachable from its holder only: so the queue tells
 * when no holder is left who could close it.
 */
final class LeakTracker extends PhantomReference<TrackedLease> {

	private final List<GrantLease> parts;

	/** The frames of the application, empty where none were found. */
	private final String place;

	private final long since;

	private volatile boolean leaked;

	LeakTracker(TrackedLease lease, List<GrantLease> parts, String place, ReferenceQueue<TrackedLease> gone) {
		super(lease, gone);
		this.parts = parts;
		this.place = place;
		this.since = parts.get(0).grant().now();
		parts.forEach((part) -> part.trackedBy(this));
	}

	/**
	 * Find the tracker to show for a grant, which may have several leases: that of a
	 * leaked lease if there is one, else that of the outermost lease that is tracked.
	 */
	static @Nullable LeakTracker of(Grant grant) {
		LeakTracker found = null;
		for (GrantLease lease : grant.leases()) {
			LeakTracker tracker = lease.tracker();
			if (tracker != null && (found == null || !found.leaked)) {
				found = tracker;
			}
		}
		return found;
	}

	/**
	 * The lease is gone.
	 * @return what is leaked by that; {@code null} if it was closed, was lost or will be,
	 * because its thread has ended as well
	 */
	@Nullable GrantLease gone() {
		for (GrantLease part : this.parts) {
			if (part.isOpen() && !part.isLost() && !part.grant().isOwnerDead()) {
				this.leaked = true;
				return part;
			}
		}
		return null;
	}

	boolean isLeaked() {
		return this.leaked;
	}

	String place() {
		return this.place;
	}

	Duration age(long now) {
		return Duration.ofNanos(now - this.since);
	}

}
