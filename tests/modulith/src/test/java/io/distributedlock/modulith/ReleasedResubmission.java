package io.distributedlock.modulith;

import java.time.Duration;

import io.distributedlock.WhenBusy;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.modulith.events.IncompleteEventPublications;

/** Releases its lock while the listeners that it has started run. */
class ReleasedResubmission {

	private final IncompleteEventPublications publications;

	ReleasedResubmission(IncompleteEventPublications publications) {
		this.publications = publications;
	}

	@DistributedLock(name = "resubmission", waitFor = "0", whenBusy = WhenBusy.SKIP)
	public void resubmit() {
		this.publications.resubmitIncompletePublicationsOlderThan(Duration.ofMinutes(10));
	}

}
