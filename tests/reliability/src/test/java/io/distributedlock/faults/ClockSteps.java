package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The steps of the clock of a server, and their effect on the expiry of its keys. The
 * server keeps the moment at which a key ends: a clock that goes back is further from it,
 * until a command uses the key and sets another one.
 */
final class ClockSteps {

	private final List<Step> steps = new ArrayList<>();

	/**
	 * The clock was set.
	 * @param by how far, forward or back
	 * @param nanos when, by a clock that goes on
	 */
	synchronized void add(Duration by, long nanos) {
		this.steps.add(new Step(by, nanos));
	}

	/**
	 * How long a key can live now.
	 * @param used the longest time that a key is given
	 * @param rested the longest that a key can have that was used after the last step
	 * @param nanos now
	 */
	synchronized Duration longestLife(Duration used, Duration rested, long nanos) {
		long left = Long.MIN_VALUE;
		for (Step step : this.steps) {
			left = Math.max(left, step.nanos - nanos + used.toNanos()) - step.by.toNanos();
		}
		return Duration.ofNanos(Math.max(rested.toNanos(), left));
	}

	private record Step(Duration by, long nanos) {
	}

}
