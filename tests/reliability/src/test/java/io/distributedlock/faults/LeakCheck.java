package io.distributedlock.faults;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.lettuce.core.api.sync.RedisCommands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Checks the server for data that ended callers have left behind. */
final class LeakCheck {

	/** Longer than the period of renewal of the locks that are looked at. */
	private static final Duration WATCHED = Duration.ofMillis(700);

	private final RedisCommands<String, String> admin;

	LeakCheck(RedisCommands<String, String> admin) {
		this.admin = admin;
	}

	/**
	 * No key has an owner or a waiter any more, another instance gets every lock at once,
	 * and nothing is renewed.
	 */
	void assertNothingLeft(LockRegistry other, List<String> keys) {
		await().ignoreException(LockStoreException.class).untilAsserted(() -> {
			assertNoOwnerAndNoWaiter();
			// A server that was away still has to read the commands that were sent
			// meanwhile,
			// so a lock that is free now may be acquired and released once more.
			assertThat(keys).allMatch((key) -> isGivenAtOnce(other, key), "given at once");
		});
		awaitFallingTimeToLive();
		assertNoOwnerAndNoWaiter();
	}

	private static boolean isGivenAtOnce(LockRegistry other, String key) {
		Optional<Lease> lease = other.tryAcquire(LockRequest.of(key).waitFor(Duration.ZERO));
		lease.ifPresent(Lease::close);
		return lease.isPresent();
	}

	private void assertNoOwnerAndNoWaiter() {
		for (String key : locks()) {
			assertThat(this.admin.hexists(key, "o")).as("owner of %s", key).isFalse();
			assertThat(this.admin.hexists(key, "w")).as("waiters for %s", key).isFalse();
		}
	}

	/**
	 * No lease is renewed; the last commands of callers that gave up may still arrive.
	 */
	private void awaitFallingTimeToLive() {
		Map<String, Long> last = new HashMap<>();
		await().pollInterval(Duration.ofMillis(50))
			.during(WATCHED)
			.until(() -> locks().stream().filter((key) -> hasGrown(key, last)).toList().isEmpty());
	}

	private boolean hasGrown(String key, Map<String, Long> last) {
		long now = this.admin.pttl(key);
		Long before = last.put(key, now);
		return now < 0 || (before != null && now > before);
	}

	private List<String> locks() {
		return this.admin.keys("lock:*");
	}

}
