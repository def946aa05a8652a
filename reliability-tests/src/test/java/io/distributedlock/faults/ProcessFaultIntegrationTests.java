package io.distributedlock.faults;

import java.time.Duration;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the locks promise when something happens to the process that holds one.
 */
@Timeout(90)
class ProcessFaultIntegrationTests {

	private static final String KEY = "order:43";

	private static final Duration TTL = Duration.ofSeconds(2);

	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(TTL).waitFor(Duration.ofSeconds(30));

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

	@Test
	void lockOfAKilledProcessIsFreeAfterItsLease() throws Exception {
		try (HolderProcess holder = holder()) {
			assertThat(this.here.tryAcquire(REQUEST.waitFor(TTL.plusSeconds(1)))).isEmpty();
			holder.kill();
			Lease next = this.here.acquire(REQUEST);
			assertThat(next.fencingToken()).isGreaterThan(holder.token);
		}
	}

	@Test
	void processThatWasStoppedBeyondItsLeaseKnowsAtOnceThatTheLockIsGone() throws Exception {
		try (HolderProcess holder = holder()) {
			assertThat(holder.isHeld()).isTrue();
			holder.stop();
			Lease next = this.here.acquire(REQUEST);
			assertThat(next.fencingToken()).isGreaterThan(holder.token);
			holder.resume();
			assertThat(holder.isHeld()).isFalse();
			assertThat(next.isHeld()).isTrue();
		}
	}

	@Test
	void processThatWasStoppedBeyondItsLeaseIsToldOfTheLoss() throws Exception {
		try (HolderProcess holder = holder()) {
			holder.stop();
			this.here.acquire(REQUEST);
			holder.resume();
			holder.awaitLost();
			assertThat(holder.isHeld()).isFalse();
		}
	}

	private HolderProcess holder() throws Exception {
		return new HolderProcess(this.redis.server.host(), this.redis.server.port(), KEY, TTL);
	}

}
