package io.distributedlock.ownaspect;

import io.distributedlock.annotation.DistributedLock;

/** A job that runs once an hour at most. */
class NightlyJob {

	private int runs;

	@DistributedLock(name = "nightly", keepFor = "1h")
	public void run() {
		this.runs++;
	}

	public int runs() {
		return this.runs;
	}

}
