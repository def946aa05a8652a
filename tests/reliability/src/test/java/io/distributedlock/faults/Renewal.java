package io.distributedlock.faults;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.Lease;

import static org.awaitility.Awaitility.await;

/** The signs of a renewal that a test can see. */
final class Renewal {

	private static final Duration MOST = Duration.ofSeconds(Long.MAX_VALUE);

	private Renewal() {
	}

	/** Wait until the remaining validity jumps up, as only a renewal lets it. */
	static void awaitNext(Lease lease) {
		awaitNext(lease::remaining);
	}

	static void awaitNext(Callable<Duration> remaining) {
		AtomicReference<Duration> last = new AtomicReference<>(MOST);
		await().pollInterval(Duration.ofMillis(5)).until(() -> {
			Duration now = remaining.call();
			return now.compareTo(last.getAndSet(now)) > 0;
		});
	}

}
