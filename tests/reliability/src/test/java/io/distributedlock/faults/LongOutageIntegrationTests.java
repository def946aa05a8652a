package io.distributedlock.faults;

import java.time.Duration;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The figures on docs/topologies.md about outages so long that the pauses of a driver
 * grow. Prints the figures. Only in the profile {@code chaos}.
 */
@Tag("chaos")
class LongOutageIntegrationTests extends InstancesBehindProxy {

	private static final LockRequest REQUEST = LockRequest.of("order:42").waitFor(Duration.ofSeconds(30));

	@AfterEach
	void endFaults() {
		this.proxy.pass();
	}

	@ParameterizedTest
	@EnumSource
	void locksAfterFortySecondsOfOutageAreGivenAtOnce(Driver driver) {
		start(driver);
		outage(Duration.ofSeconds(40));
		long start = System.nanoTime();
		Stream.generate(() -> REQUEST).limit(20).forEach((request) -> this.here.acquire(request).close());
		print(driver, "twenty locks one after the other after an outage of 40 s", start);
	}

	/** The default {@code ttl} is 30 s, of which less than 12 s are left. */
	@ParameterizedTest
	@EnumSource
	void lockThatIsHeldThroughEighteenSecondsOfOutageIsKept(Driver driver) {
		start(driver);
		Lease lease = this.here.acquire(REQUEST);
		outage(Duration.ofSeconds(18));
		long start = System.nanoTime();
		Renewal.awaitNext(lease);
		print(driver, "renewal after an outage of 18 s", start);
		assertThat(this.redis.isLost("order:42")).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void lockWhenConnectionsAreSilentlyDeadIsGiven(Driver driver) {
		start(driver);
		this.proxy.silence();
		long start = System.nanoTime();
		this.here.acquire(REQUEST).close();
		print(driver, "lock with connections that are silently dead", start);
	}

	/** A caller attempts all the time, so that the pauses of a driver grow. */
	private void outage(Duration duration) {
		LockRegistry caller = this.here;
		this.proxy.refuse();
		await().pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(200))
			.atMost(duration.multipliedBy(2))
			.during(duration)
			.until(() -> {
				caller.acquireAsync(LockRequest.of("caller").waitFor(Duration.ZERO));
				return true;
			});
		this.proxy.pass();
	}

	private static void print(Driver driver, String what, long start) {
		System.out.println(driver + ": " + what + ": " + (System.nanoTime() - start) / 1_000_000 + " ms");
	}

}
