package io.distributedlock.faults;

import java.time.Duration;

import io.distributedlock.Lease;

import static org.awaitility.Awaitility.await;

/** What a test can see of a renewal. */
final class Renewal {

	private Renewal() {
	}

	/** Wait until the remaining validity jumps up, as only a renewal lets it. */
	static void awaitNext(Lease lease) {
		Duration[] last = { lease.remaining() };
		await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(5)).until(() -> {
			Duration before = last[0];
			last[0] = lease.remaining();
			return last[0].compareTo(before) > 0;
		});
	}

}
