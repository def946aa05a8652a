package io.distributedlock.faults;

import java.io.IOException;
import java.time.Duration;

import io.distributedlock.LockMode;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.store.LockKey;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The promises of the locks when the server's clock is set. See {@link ServerClock} for
 * the emulation.
 */
class ServerClockFaultIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final Duration TTL = Duration.ofMillis(4500);

	private static final Duration RETENTION = RedisStoreSettings.DEFAULTS.tokenRetention();

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static FaultyRedis redis;

	private static ServerClock clock;

	private static LockProcess one;

	private static LockProcess two;

	@BeforeAll
	static void start() throws IOException {
		redis = new FaultyRedis();
		clock = new ServerClock(redis.admin());
		one = process();
		two = process();
	}

	/** Start a process and warm it up: its first acquire loads classes and connects. */
	private static LockProcess process() throws IOException {
		LockProcess process = new LockProcess(redis.server, clock.jvmOptions());
		process.acquire("warm-up-" + process.pid(), TTL, PATIENCE);
		process.release("warm-up-" + process.pid());
		return process;
	}

	@BeforeEach
	void setRight() {
		clock.step(clock.shift().negated());
	}

	@AfterAll
	static void stop() throws Exception {
		one.close();
		two.close();
		clock.close();
		redis.close();
	}

	@Test
	void row17ServerClockSetForwardIsToldToTheHolderAtItsNextRenewal() throws IOException {
		long token = one.acquire("forward", Duration.ofSeconds(6), PATIENCE);
		// Beyond every other test: an instance gives all its locks tokens above the
		// highest
		// it has seen.
		clock.step(HOUR.multipliedBy(5));
		assertThat(two.acquire("forward", Duration.ofSeconds(6), Duration.ZERO)).isGreaterThan(token);
		await().until(() -> one.loss("forward").equals("NOT_OWNER"));
		assertThat(one.isHeld("forward")).isFalse();
		assertThat(one.release("forward")).isEqualTo("LockLostException");
		assertThat(two.isHeld("forward")).isTrue();
	}

	@Test
	void row17ServerClockSetBackLeavesTheLockWithItsHolder() throws IOException {
		long token = one.acquire("back", TTL, PATIENCE);
		clock.step(HOUR.negated());
		two.beginAcquire("back", TTL, PATIENCE);
		one.awaitRenewal("back");
		one.awaitRenewal("back");
		assertThat(one.isHeld("back")).isTrue();
		assertThat(one.release("back")).as("no other holder has come in between").isEmpty();
		assertThat(Long.parseLong(two.acquired())).isGreaterThan(token);
		assertThat(one.loss("back")).isEmpty();
	}

	@Test
	void row17ServerClockSetBackDoesNotPreserveTheLockOfADeadHolder() throws IOException {
		long token;
		try (LockProcess dead = process()) {
			token = dead.acquire("dead", TTL, PATIENCE);
		}
		clock.step(HOUR.negated());
		assertThat(two.acquire("dead", TTL, PATIENCE)).isGreaterThan(token);
	}

	@Test
	void row17ServerClockSetBackKeepsFreeLocksForLonger() throws IOException {
		use(LockMode.EXCLUSIVE);
		use(LockMode.SEMAPHORE);
		assertThat(life(LockMode.EXCLUSIVE)).isLessThanOrEqualTo(RETENTION);
		assertThat(life(LockMode.SEMAPHORE)).isLessThanOrEqualTo(RETENTION.plus(TTL));
		clock.step(HOUR.negated());
		assertThat(life(LockMode.EXCLUSIVE)).isBetween(HOUR, HOUR.plus(RETENTION));
		use(LockMode.EXCLUSIVE);
		assertThat(life(LockMode.EXCLUSIVE)).isLessThanOrEqualTo(RETENTION);
		use(LockMode.SEMAPHORE);
		// Both become less while time passes.
		Duration longest = clock.longestLife(RETENTION.plus(TTL), RETENTION);
		assertThat(life(LockMode.SEMAPHORE)).as("others may have it for as long")
			.isBetween(HOUR, HOUR.plus(RETENTION).plus(TTL))
			.isLessThanOrEqualTo(longest);
	}

	private static void use(LockMode mode) throws IOException {
		one.acquire(mode.name(), mode, 2, TTL, PATIENCE);
		assertThat(one.release(mode.name())).isEmpty();
	}

	private static Duration life(LockMode mode) {
		return Duration.ofMillis(redis.admin().pttl("lock:" + new LockKey("", mode.name()).encoded()));
	}

	@Test
	void row17TokensGrowWhateverTheServerClockDoes() throws IOException {
		long last = 0;
		LockProcess next = one;
		for (int hours : new int[] { 1, -2, 3, -1, -1 }) {
			clock.step(HOUR.multipliedBy(hours));
			long token = next.acquire("tokens", TTL, PATIENCE);
			assertThat(token).isGreaterThan(last);
			assertThat(next.release("tokens")).isEmpty();
			last = token;
			next = (next == one) ? two : one;
		}
	}

	@Test
	void serverThatLostTheClockWithItsDataIsLoadingUntilRestored() throws IOException {
		redis.admin().flushall();
		assertThat(one.tryAcquire("lost", TTL, Duration.ZERO)).isEqualTo("LockStoreException");
		clock.restore();
		one.acquire("lost", TTL, PATIENCE);
	}

}
