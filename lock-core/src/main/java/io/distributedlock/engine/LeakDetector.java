package io.distributedlock.engine;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import io.distributedlock.Lease;
import io.distributedlock.engine.internal.instance.Callbacks;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.lease.LeakTracker;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.report.LogLine;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Finds leases that can never be closed, because the application has forgotten them. It
 * only reports them. The lock stays taken and is renewed, because the work that it guards
 * may still run. A release too early harms more than a lock held too long.
 */
final class LeakDetector {

	private static final LockLog logger = LockLog.of(LeakDetector.class);

	private static final int ONE_IN = 128;

	/** Limit that only generated code exceeds. */
	private static final int MOST_PLACES = 1_000;

	private final Instance instance;

	private final LeakDetection level;

	private final ReferenceQueue<Lease> gone = new ReferenceQueue<>();

	/** The reported places. Confined to the thread that drives the loop. */
	private final Set<String> told = new HashSet<>();

	/**
	 * About the number of first acquisitions left to track: threads do not synchronize.
	 */
	private int first = ONE_IN;

	LeakDetector(Instance instance, LeakDetection level) {
		this.instance = instance;
		this.level = level;
	}

	/**
	 * Decide whether the lease of a call is tracked. Called on the thread of the caller.
	 * @return the calling place in the application, or {@code null} if it is not tracked
	 */
	@Nullable String sample() {
		return isSampled() ? LocalLocks.here() : null;
	}

	private boolean isSampled() {
		if (this.level != LeakDetection.SAMPLED) {
			return this.level == LeakDetection.ALL;
		}
		if (this.first > 0) {
			this.first--;
			return true;
		}
		return ThreadLocalRandom.current().nextInt(ONE_IN) == 0;
	}

	/**
	 * Track a lease on its way to the caller. The engine has no reference to it.
	 * @param place the result of {@link #sample}
	 * @return that lease
	 */
	Lease tracked(Lease lease, @Nullable String place) {
		if (place != null) {
			new LeakTracker(lease, holds(lease), place, this.gone);
		}
		return lease;
	}

	/** The holds of single grants of which a lease consists. */
	static List<Hold> holds(Lease lease) {
		return (lease instanceof CompositeLease all) ? all.holds() : List.of(((GrantLease) lease).hold);
	}

	/** Report the leases that were forgotten since the last call. */
	void find() {
		for (Reference<?> next = this.gone.poll(); next != null; next = this.gone.poll()) {
			try {
				found((LeakTracker) next);
			}
			catch (Throwable ex) {
				Callbacks.log("A lease that was never closed could not be told", ex);
			}
		}
	}

	private void found(LeakTracker tracker) {
		Hold leaked = tracker.gone();
		if (leaked == null) {
			return;
		}
		try {
			if (this.told.size() < MOST_PLACES && this.told.add(tracker.place())) {
				LogLine line = LogLine.of(leaked.grant, "never closed", () -> message(leaked, tracker));
				line.write(() -> logger.warn(line.text().get()));
			}
		}
		finally {
			// After the log line: a reader of the count looks for that line.
			this.instance.counters.leaked.increment();
		}
	}

	private String message(Hold leaked, LeakTracker tracker) {
		Grant grant = leaked.grant;
		long now = this.instance.now();
		String place = tracker.place().isEmpty() ? "outside the code of the application" : "at " + tracker.place();
		String more = (this.level == LeakDetection.ALL) ? ""
				: ", and one acquisition in %d is watched: distributed-lock.leak-detection=all watches each"
					.formatted(ONE_IN);
		return ("Lock '%s' (token %d) was acquired %s, %d ms ago, and its lease was never closed: nothing refers to it "
				+ "any more, so nothing can close it. %s. Close each lease, as by try-with-resources or in finally. "
				+ "This place is named once%s")
			.formatted(LockKeys.describe(leaked.keys()), grant.token(), place, tracker.age(now).toMillis(),
					consequence(grant, now), more);
	}

	/** Return the consequence. The lock stays taken: the work under it may still run. */
	private static String consequence(Grant grant, long now) {
		if (!grant.wantsRenewal(now)) {
			return "The lock stays taken until its ttl is over, since it is not renewed";
		}
		Duration limit = grant.terms().options.maxHold();
		return "The lock stays taken and is renewed "
				+ ((limit != null) ? "until its maxHold of %s is over".formatted(limit)
						: "as long as this process runs, since it has no maxHold");
	}

}
