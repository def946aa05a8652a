package io.distributedlock.redlock;

import java.util.BitSet;

/**
 * What nodes have said lately of a request that is to be served in order: that it is
 * first there, and the lock free. The lines may be in another order on each node, so the
 * one with the queue counts. It says nothing of a lock that its holder never had there;
 * then a majority does.
 */
final class RequestWakeUps {

	private final int majority;

	private final BitSet heard = new BitSet();

	/** The node with the queue has had the time to speak. */
	private boolean patient = true;

	private boolean woken;

	RequestWakeUps(int majority) {
		this.majority = majority;
	}

	/** A node that has spoken before speaks of another release. */
	synchronized boolean hasHeard(int index) {
		return this.heard.get(index);
	}

	/** A node has spoken; whether to send a wake-up. */
	synchronized boolean hear(int index, boolean queue) {
		this.heard.set(index);
		this.woken |= queue;
		return queue || wakes();
	}

	/**
	 * The node with the queue is not waited for any longer; whether to send a wake-up.
	 */
	synchronized boolean patienceEnds() {
		this.patient = false;
		return wakes();
	}

	private boolean wakes() {
		boolean wakes = !this.woken && !this.patient && this.heard.cardinality() >= this.majority;
		this.woken |= wakes;
		return wakes;
	}

}
