package io.distributedlock.modulith;

import java.time.Duration;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The example of the page about jobs. */
@Component
public class Resubmission {

	private final IncompleteEventPublications publications;

	Resubmission(IncompleteEventPublications publications) {
		this.publications = publications;
	}

	@Scheduled(cron = "0 */10 * * * *")
	@DistributedLock(name = "resubmission", keepFor = "9m")
	public void resubmit() {
		this.publications.resubmitIncompletePublicationsOlderThan(Duration.ofMinutes(10));
	}

}
