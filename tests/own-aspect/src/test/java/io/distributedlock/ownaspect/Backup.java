package io.distributedlock.ownaspect;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.Renewal;

/** A method that runs longer than its lease. */
class Backup {

	@DistributedLock(name = "backup", key = "'db'", ttl = "3s", waitFor = "0")
	public void run(Runnable body) {
		body.run();
	}

	@DistributedLock(name = "backup", key = "'files'", ttl = "2s", renew = Renewal.OFF, waitFor = "0")
	public void runWithoutRenewal(Runnable body) {
		body.run();
	}

}
