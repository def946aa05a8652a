package io.distributedlock.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.redis.ShownLock;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Durations that are hardly ever meant: row 28 of the table of faults. Each is either
 * refused with a message that names it, or taken exactly as it is.
 */
class OddDurationIntegrationTests {

	private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

	private static final Duration MOST_NEGATIVE = Duration.ofSeconds(Long.MIN_VALUE);

	private static final Duration CENTURIES = Duration.ofNanos(Long.MAX_VALUE);

	/** Waits that never end in practice. */
	static final Duration[] ENDLESS = { LONGEST, CENTURIES, Duration.ofDays(200_000),
			LockOptions.MAX_TTL.plusNanos(1) };

	private static FaultyRedis redis;

	private static DefaultLockRegistry here;

	private static DefaultLockRegistry there;

	private static RedisCommands<String, String> admin;

	@BeforeAll
	static void start() {
		redis = new FaultyRedis();
		here = redis.instance();
		there = redis.instance();
		admin = redis.admin();
	}

	@AfterAll
	static void stop() throws Exception {
		redis.close();
	}

	static Stream<Arguments> refused() {
		return Stream.of(refused("ttl", (request) -> request.ttl(Duration.ZERO)),
				refused("ttl", (request) -> request.ttl(Duration.ofMillis(1))),
				refused("ttl", (request) -> request.ttl(LockOptions.MIN_TTL.minusNanos(1))),
				refused("ttl", (request) -> request.ttl(Duration.ofMillis(-1))),
				refused("ttl", (request) -> request.ttl(MOST_NEGATIVE)),
				refused("ttl", (request) -> request.ttl(LockOptions.MAX_TTL.plusNanos(1))),
				refused("ttl", (request) -> request.ttl(CENTURIES)), refused("ttl", (request) -> request.ttl(LONGEST)),
				refused("ttl", (request) -> request.ttl(LockOptions.MIN_RENEWABLE_TTL.minusNanos(1))),
				refused("waitFor", (request) -> request.waitFor(Duration.ofNanos(-1))),
				refused("waitFor", (request) -> request.waitFor(MOST_NEGATIVE)),
				refused("keepFor", (request) -> request.keepFor(Duration.ofNanos(-1))),
				refused("keepFor", (request) -> request.keepFor(CENTURIES)),
				refused("keepFor", (request) -> request.keepFor(LONGEST)),
				refused("maxHold", (request) -> request.maxHold(Duration.ZERO)),
				refused("maxHold", (request) -> request.maxHold(Duration.ofNanos(999_999))),
				refused("maxHold", (request) -> request.maxHold(MOST_NEGATIVE)),
				refused("maxHold", (request) -> request.maxHold(LONGEST)));
	}

	private static Arguments refused(String named, UnaryOperator<LockRequest> option) {
		return arguments(named, option);
	}

	/** Row 28: refused, without a trace on the server. */
	@ParameterizedTest(name = "{0}")
	@MethodSource("refused")
	void durationThatCannotWorkIsRefusedByName(String named, UnaryOperator<LockRequest> option) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> here.acquire(option.apply(LockRequest.of("refused")).waitFor(Duration.ZERO)))
			.withMessageContaining(named);
		assertThat(admin.exists("lock::refused")).isZero();
	}

	static Stream<Arguments> leases() {
		return Stream
			.of(LockOptions.MIN_TTL, LockOptions.MIN_TTL.plusNanos(1), Duration.ofNanos(150_999_999),
					LockOptions.MIN_RENEWABLE_TTL, LockOptions.MAX_TTL, LockOptions.MAX_TTL.minusNanos(1))
			.map(Arguments::arguments);
	}

	/**
	 * Row 28: the lease on the server is the one asked for, and not shorter where it is
	 * not a whole number of milliseconds.
	 */
	@ParameterizedTest
	@MethodSource("leases")
	void leaseIsWhatWasAskedFor(Duration ttl) {
		String key = "lease" + ttl;
		// A busy machine may need several attempts for ten milliseconds.
		Lease lease = here.acquire(LockRequest.of(key).ttl(ttl).renew(false).waitFor(Duration.ofSeconds(30)));
		assertThat(ShownLock.of(admin, "lock::" + key).get("lease"))
			.isEqualTo(Long.toString(ttl.plusNanos(999_999).toMillis()));
		assertThat(lease.remaining()).isLessThan(ttl).isGreaterThanOrEqualTo(Duration.ZERO);
		if (ttl.compareTo(Duration.ofHours(1)) > 0) {
			assertThat(lease.remaining()).isGreaterThan(ttl.multipliedBy(98).dividedBy(100));
			lease.close();
		}
	}

	/** Row 28: a wait without an end ends with the lock, not with an overflow. */
	@ParameterizedTest
	@FieldSource("ENDLESS")
	void waitThatNeverEndsEndsWithTheLock(Duration wait) {
		LockRequest request = LockRequest.of("endless" + wait);
		Lease held = there.acquire(request);
		CompletableFuture<Lease> waiting = here.acquireAsync(request.waitFor(wait)).toCompletableFuture();
		CompletableFuture<Boolean> trying = CompletableFuture.supplyAsync(() -> tryLock(request, wait));
		assertThat(there.tryAcquire(request.waitFor(Duration.ofMillis(100)))).isEmpty();
		assertThat(waiting).isNotDone();
		assertThat(trying).isNotDone();
		held.close();
		waiting.join().close();
		assertThat(trying.join()).isTrue();
	}

	private static boolean tryLock(LockRequest request, Duration wait) {
		LeaseLock lock = here.getLock(request.keys().get(0));
		try {
			boolean locked = lock.tryLock(wait);
			lock.unlock();
			return locked;
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	/** Row 28: the largest number of every unit. */
	@ParameterizedTest
	@MethodSource("units")
	void longestWaitInEveryUnitIsGranted(TimeUnit unit) throws InterruptedException {
		LeaseLock lock = here.getLock("units");
		assertThat(lock.tryLock(Long.MAX_VALUE, unit)).isTrue();
		lock.unlock();
		assertThat(lock.tryLock(Long.MIN_VALUE, unit)).as("tries once, as the interface says").isTrue();
		lock.unlock();
	}

	static Stream<TimeUnit> units() {
		return Stream.of(TimeUnit.values());
	}

	/** Row 28: a wait as long as the lease neither doubles nor drops either of them. */
	@Test
	void waitAsLongAsTheLeaseIsExact() {
		Duration both = Duration.ofSeconds(3);
		LockRequest request = LockRequest.of("both").ttl(both).waitFor(both);
		try (Lease held = there.acquire(request)) {
			long start = System.nanoTime();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> here.acquire(request));
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(both, both.plusMillis(2900));
			assertThat(held.isHeld()).isTrue();
		}
		Lease lease = here.acquire(request.renew(false));
		assertThat(ShownLock.of(admin, "lock::both").get("lease")).isEqualTo("3000");
		assertThat(lease.remaining()).isLessThan(both);
		lease.close();
	}

	/** Row 28: no wait is one attempt, and a busy lock is reported as such. */
	@Test
	void waitOfNothingTriesOnce() {
		LockRequest request = LockRequest.of("once");
		try (Lease held = there.acquire(request)) {
			long start = System.nanoTime();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> SingleTry.answer(() -> here.acquire(request.waitFor(Duration.ZERO))));
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
			assertThat(held.isHeld()).isTrue();
		}
		SingleTry.answer(() -> here.acquire(request.waitFor(Duration.ZERO))).close();
	}

	/**
	 * Row 28: a wait that ends before the server can have answered. If it has not,
	 * whether the lock is busy is unknown.
	 */
	@Test
	void waitOfANanosecondIsNotTheDefault() {
		LockRequest request = LockRequest.of("brief");
		try (Lease held = there.acquire(request)) {
			long start = System.nanoTime();
			assertThatThrownBy(() -> here.acquire(request.waitFor(Duration.ofNanos(1))))
				.isInstanceOfAny(LockNotAcquiredException.class, LockStoreException.class);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
			assertThat(held.isHeld()).isTrue();
		}
	}

}
