package io.distributedlock.engine.internal.lease;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.List;

import io.distributedlock.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The place and time at which a tracked lease was acquired. The grant refers to this
 * tracker while it is held, but only the holder refers to the lease. So the reference
 * queue reports a lease that no holder can close any more.
 */
public final class LeakTracker extends PhantomReference<Lease> {

	private final List<Hold> parts;

	/** The stack frames of the application, empty if there are none. */
	private final String place;

	private final long since;

	private volatile boolean leaked;

	public LeakTracker(Lease lease, List<Hold> parts, String place, ReferenceQueue<Lease> gone) {
		super(lease, gone);
		this.parts = parts;
		this.place = place;
		this.since = parts.get(0).grant.now();
		parts.forEach((part) -> part.trackedBy(this));
	}

	/**
	 * Find the tracker to show for a grant, which may have several leases. It is that of
	 * a leaked lease if there is one, else that of the outermost tracked lease.
	 */
	public static @Nullable LeakTracker of(Grant grant) {
		LeakTracker found = null;
		for (Hold hold : grant.allHolds()) {
			LeakTracker tracker = hold.tracker();
			if (tracker != null && (found == null || !found.leaked)) {
				found = tracker;
			}
		}
		return found;
	}

	/**
	 * The lease was collected.
	 * @return the lease that has leaked; {@code null} if it was closed, was lost or will
	 * be, because its thread has ended as well
	 */
	public @Nullable Hold gone() {
		for (Hold part : this.parts) {
			if (part.isOpen() && !part.isLost() && !part.grant.isOwnerDead()) {
				this.leaked = true;
				return part;
			}
		}
		return null;
	}

	public boolean isLeaked() {
		return this.leaked;
	}

	public String place() {
		return this.place;
	}

	public Duration age(long now) {
		return Duration.ofNanos(now - this.since);
	}

}
