package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockEvent;
import io.distributedlock.redis.RedisStoreSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Holders whose lease runs out while the server stands still, and the reason they get.
 * Readers and permits whose bodies had ended in time were told that they had lost the
 * lock, and an expired lease was told as another holder's.
 */
@Execution(ExecutionMode.CONCURRENT)
class StallFaultIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(3);

	/** No command is given up while the server stands still. */
	private static final RedisStoreSettings PATIENT = new RedisStoreSettings("lock:", Duration.ofSeconds(60),
			Duration.ofSeconds(20), true);

	private FaultyRedis redis;

	private final Map<LockMode, Lease> leases = new EnumMap<>(LockMode.class);

	@BeforeEach
	void startServer() {
		this.redis = new FaultyRedis();
	}

	@AfterEach
	void stopServer() throws Exception {
		this.redis.close();
	}

	@ParameterizedTest
	@CsvSource({ "LETTUCE, false", "LETTUCE, true", "JEDIS, false", "JEDIS, true" })
	void releaseThatWasSentInTimeIsNoLossWhenTheServerStandsStill(Driver driver, boolean renewed) {
		DefaultLockRegistry here = instance(driver);
		acquireAll(here, renewed);
		if (renewed) {
			this.leases.values().forEach(Renewal::awaitNext);
		}
		Duration longest = this.leases.values().stream().map(Lease::remaining).max(Duration::compareTo).orElseThrow();
		long end = System.nanoTime() + longest.toNanos();
		this.redis.server.pause();
		List<CompletableFuture<Void>> releases = new ArrayList<>();
		this.leases.values().forEach((lease) -> releases.add(lease.release().toCompletableFuture()));
		await().atMost(Duration.ofSeconds(10)).until(() -> System.nanoTime() - end > TTL.toNanos() / 5);
		this.redis.server.resume();
		releases.forEach(CompletableFuture::join);
		assertThat(losses()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void leaseThatRunsOutWhileTheServerStandsStillIsToldAsExpired(Driver driver) {
		DefaultLockRegistry here = instance(driver);
		acquireAll(here, true);
		this.leases.values().forEach(Renewal::awaitNext);
		this.redis.server.pause();
		await().atMost(Duration.ofSeconds(10)).until(() -> losses().size() == this.leases.size());
		this.redis.server.resume();
		assertThat(losses()).containsOnly(LossReason.EXPIRED);
	}

	private DefaultLockRegistry instance(Driver driver) {
		return this.redis.instance(driver.connect(this.redis.server.host(), this.redis.server.port()), PATIENT);
	}

	private void acquireAll(DefaultLockRegistry here, boolean renewed) {
		for (LockMode mode : LockMode.values()) {
			LockRequest request = LockRequest.of(mode.name()).mode(mode).ttl(TTL).renew(renewed);
			this.leases.put(mode, here.acquire((mode == LockMode.SEMAPHORE) ? request.permits(2) : request));
		}
	}

	private List<LossReason> losses() {
		return this.redis.events.stream()
			.filter(LockEvent.Lost.class::isInstance)
			.map((event) -> ((LockEvent.Lost) event).reason())
			.toList();
	}

}
