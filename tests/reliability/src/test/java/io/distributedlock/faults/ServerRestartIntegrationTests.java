package io.distributedlock.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.redis.ShownLock;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The promises of the locks when the server is killed and comes back with all, some or
 * none of its data: rows 4 and 5 of the table of faults.
 */
class ServerRestartIntegrationTests extends TwoInstances {

	private static final String KEY = "order-44";

	private static final Duration TTL = Duration.ofSeconds(6);

	private static final Duration PERIOD = TTL.dividedBy(3);

	/** A pause between two tries to connect, and a busy machine. */
	private static final Duration RECONNECT = Duration.ofSeconds(3);

	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(TTL).waitFor(Duration.ofSeconds(20));

	/** Row 4: kill -9, every write on disk. */
	@Test
	void restartWhenEveryWriteIsOnDiskKeepsTheDeadline() {
		startWith("--appendonly", "yes", "--appendfsync", "always");
		Lease lease = this.here.acquire(REQUEST.renew(false));
		RedisCommands<String, String> admin = this.redis.admin();
		long deadline = Long.parseLong(ShownLock.of(admin, "lock::" + KEY).get("deadline"));
		this.redis.server.kill();
		this.redis.server.start();
		assertThat(ShownLock.of(this.redis.admin(), "lock::" + KEY).get("deadline")).isEqualTo(Long.toString(deadline));
		assertThat(lease.isHeld()).isTrue();
		Lease next = this.there.acquire(REQUEST);
		assertThat(lease.isHeld()).isFalse();
		assertThat(serverMillis()).isGreaterThanOrEqualTo(deadline);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
	}

	/** Row 4: kill -9, every write on disk. */
	@Test
	void restartWhenEveryWriteIsOnDiskCostsTheHolderNothing() {
		startWith("--appendonly", "yes", "--appendfsync", "always");
		Lease lease = this.here.acquire(REQUEST);
		CompletableFuture<Lease> waiting = this.there.acquireAsync(REQUEST).toCompletableFuture();
		this.redis.server.kill();
		this.redis.server.start();
		Renewal.awaitNext(lease);
		Renewal.awaitNext(lease);
		assertThat(waiting).isNotDone();
		lease.close();
		assertThat(waiting.orTimeout(10, TimeUnit.SECONDS).join().fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	/**
	 * Row 4: kill -9 with {@code appendfsync everysec} of a machine that lost power, so
	 * that the last second is gone. The log on disk is closed before the lock is taken.
	 */
	@Test
	void restartThatLosesASecondIsToldAndTokensGrowOn() {
		startWith("--appendonly", "yes", "--appendfsync", "everysec");
		long older = takeAndRelease();
		this.redis.admin().configSet("appendonly", "no");
		Lease lease = this.here.acquire(REQUEST);
		assertLossIsToldInTimeAfterARestart(lease);
		assertThat(Long.parseLong(ShownLock.of(this.redis.admin(), "lock::" + KEY).get("token"))).as("what the log had")
			.isEqualTo(older);
		assertNextHasALargerToken(lease);
	}

	/** Row 5: kill -9, nothing on disk. */
	@Test
	void restartWithoutDataIsToldAndTokensGrowOn() {
		startWith();
		Lease lease = this.here.acquire(REQUEST);
		assertLossIsToldInTimeAfterARestart(lease);
		assertThat(this.redis.admin().exists("lock::" + KEY)).isZero();
		assertNextHasALargerToken(lease);
	}

	private long takeAndRelease() {
		try (Lease lease = this.there.acquire(REQUEST)) {
			return lease.fencingToken();
		}
	}

	private void assertLossIsToldInTimeAfterARestart(Lease lease) {
		CompletableFuture<Long> told = new CompletableFuture<>();
		lease.onLost(() -> told.complete(System.nanoTime()));
		this.redis.server.kill();
		this.redis.server.start();
		long back = System.nanoTime();
		Duration untilTold = Duration.ofNanos(told.join() - back);
		assertThat(untilTold).isLessThan(PERIOD.plus(RECONNECT));
		assertThat(lease.isHeld()).isFalse();
		this.redis.awaitLoss(KEY, LossReason.NOT_OWNER);
	}

	private void assertNextHasALargerToken(Lease lease) {
		Lease next = this.there.acquire(REQUEST);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		assertThat(next.isHeld()).isTrue();
	}

	private long serverMillis() {
		List<String> time = this.redis.admin().time();
		return Long.parseLong(time.get(0)) * 1000 + Long.parseLong(time.get(1)) / 1000;
	}

}
