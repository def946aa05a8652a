package io.distributedlock.engine;

import io.distributedlock.store.RequestId;

/**
 * A field of a lock's hash that is a request's own.
 *
 * @param request the request
 * @param deadline how long it is good
 * @param longest the longest time for which it was good from any moment
 * @param more its token or its ticket
 * @param mark that of its last renewal, or {@code null}
 */
record SimulationEntry(RequestId request, long deadline, long longest, long more, String mark) {

	/** One that was not renewed. */
	SimulationEntry(RequestId request, long deadline, long longest, long more) {
		this(request, deadline, longest, more, null);
	}

	/** If the clock went back, nothing lasts longer than it was meant to. */
	SimulationEntry at(long now) {
		return new SimulationEntry(this.request, Math.min(this.deadline, now + this.longest), this.longest, this.more,
				this.mark);
	}

}
