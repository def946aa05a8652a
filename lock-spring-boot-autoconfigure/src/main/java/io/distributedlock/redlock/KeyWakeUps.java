package io.distributedlock.redlock;

import java.util.BitSet;

/**
 * What nodes have said lately of a key: that it is free there.
 */
final class KeyWakeUps {

	private final int majority;

	private final BitSet heard = new BitSet();

	/** Enough have spoken, and a wake-up was sent. */
	private boolean woken;

	/** Others have spoken after that. */
	private boolean news;

	private boolean ended;

	KeyWakeUps(int majority) {
		this.majority = majority;
	}

	/** A node that has spoken before speaks of another release. */
	synchronized boolean hasHeard(int index) {
		return this.heard.get(index);
	}

	/** A node has spoken; whether to send a wake-up at once. */
	synchronized boolean hear(int index) {
		this.heard.set(index);
		if (this.ended) {
			return true;
		}
		this.news = true;
		return wakes(!this.woken && this.heard.cardinality() >= this.majority);
	}

	/** Time is over; whether to send a wake-up for what was heard since the last one. */
	synchronized boolean end() {
		this.ended = true;
		return wakes(this.news);
	}

	private boolean wakes(boolean wakes) {
		this.woken |= wakes;
		this.news &= !wakes;
		return wakes;
	}

}
