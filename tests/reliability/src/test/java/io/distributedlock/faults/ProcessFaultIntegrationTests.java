package io.distributedlock.faults;

import java.time.Duration;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The promises of the locks when something happens to the process that holds one: rows 1,
 * 2 and 3 of the table of faults.
 */
class ProcessFaultIntegrationTests {

	private static final String KEY = "order-43";

	/** A lease that a process which has just started has to renew. */
	private static final Duration RENEWED = Duration.ofMillis(4500);

	/** The longest time that a waiter sleeps before it attempts again. */
	private static final Duration POLL = Duration.ofSeconds(1);

	private static final Duration BUSY_MACHINE = Duration.ofSeconds(15);

	/** A lease that is not to be lost. */
	private static final Duration LONG = Duration.ofSeconds(60);

	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(LONG).waitFor(Duration.ofSeconds(30));

	private FaultyRedis redis;

	private DefaultLockRegistry here;

	@BeforeEach
	void start() {
		this.redis = new FaultyRedis();
		this.here = this.redis.instance();
	}

	@AfterEach
	void stop() throws Exception {
		this.redis.close();
	}

	/** Row 1: kill -9 of the holder, while other processes wait. */
	@Test
	void waiterGetsTheLockOfAKilledProcessWithinLeaseAndPoll() throws Exception {
		try (HolderProcess holder = holder(RENEWED)) {
			assertThat(this.here.tryAcquire(REQUEST.waitFor(RENEWED.plusMillis(500)))).as("it is renewed").isEmpty();
			assertThatWaiterGetsIn(holder);
		}
	}

	private void assertThatWaiterGetsIn(HolderProcess holder) throws Exception {
		RedisCommands<String, String> admin = this.redis.admin();
		await().until(() -> !admin.hexists("lock::" + KEY, "waiters"));
		try (OtherProcess waiter = new OtherProcess(HolderProcess.class, this.redis.server.host(),
				Integer.toString(this.redis.server.port()), KEY, LONG.toString())) {
			await().until(() -> admin.hexists("lock::" + KEY, "waiters"));
			holder.kill();
			long killed = System.nanoTime();
			long token = Long.parseLong(waiter.answer("token "));
			assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(RENEWED.plus(POLL).plus(BUSY_MACHINE));
			assertThat(token).isGreaterThan(holder.token);
		}
	}

	/** Row 2: SIGSTOP for longer than the lease. */
	@Test
	void processThatWasStoppedBeyondItsLeaseKnowsAtOnce() throws Exception {
		try (HolderProcess holder = holder(RENEWED)) {
			assertThat(holder.isHeld()).isTrue();
			holder.stop();
			Lease next = this.here.acquire(REQUEST);
			assertThat(next.fencingToken()).isGreaterThan(holder.token);
			holder.nudge();
			holder.resume();
			assertThat(holder.wasHeld()).isFalse();
			holder.awaitLost();
			assertThat(next.isHeld()).isTrue();
		}
	}

	/** Row 3: a garbage collection that takes longer than the lease. */
	@Test
	void processWhoseCollectionOutlastsItsLeaseKnowsAtOnce() throws Exception {
		try (CollectingProcess holder = CollectingProcess.start(this.redis.server.host(), this.redis.server.port(), KEY,
				RENEWED)) {
			assertThat(holder.isHeld()).isTrue();
			holder.beginLongCollection();
			Lease next = this.here.acquire(REQUEST);
			assertThat(next.fencingToken()).isGreaterThan(holder.token);
			holder.nudge();
			holder.endLongCollection(RENEWED.dividedBy(2));
			assertThat(holder.wasHeld()).isFalse();
			holder.awaitLost();
			assertThat(next.isHeld()).isTrue();
		}
	}

	private HolderProcess holder(Duration ttl) throws Exception {
		return new HolderProcess(this.redis.server.host(), this.redis.server.port(), KEY, ttl);
	}

}
