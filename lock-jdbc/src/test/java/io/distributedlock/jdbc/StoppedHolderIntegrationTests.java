package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.Patience;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.store.LockKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static io.distributedlock.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that is stopped or killed while it has a lock: it commits before the next
 * holder gets the lock, or not at all.
 */
class StoppedHolderIntegrationTests {

	/** Shorter than the time for which a transaction may be idle before its commit. */
	private static final Duration TTL = Duration.ofMillis(1_900);

	private static final Duration IDLE = Duration.ofSeconds(2);

	/** Longer than any test. */
	private static final Duration LONG_IDLE = Duration.ofMinutes(1);

	private final String key = "stopped " + UUID.randomUUID();

	private final LockRequest request = LockRequest.of(this.key).waitFor(Patience.CEILING);

	private final JdbcTemplate jdbc = new JdbcTemplate(SharedPostgres.pool());

	private final PostgresLockStore store = PostgresLockStore.builder(SharedPostgres.pool())
		.listenDataSource(SharedPostgres.SERVER.dataSource())
		.build();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.store, LockProfiles.DEFAULTS,
			EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), (event) -> {
			});

	@BeforeEach
	void createTable() {
		this.jdbc.execute("CREATE TABLE IF NOT EXISTS stock (id text)");
	}

	@AfterEach
	void close() {
		this.registry.close();
	}

	private int rows() {
		Integer rows = this.jdbc.queryForObject("SELECT count(*) FROM stock WHERE id = ?", Integer.class, this.key);
		assertThat(rows).isNotNull();
		return rows;
	}

	@Test
	void holderWhenStoppedBeforeItsCommitDoesNotCommitLater() throws Exception {
		try (GuardedProcess holder = GuardedProcess.inTheBody(this.key, TTL, IDLE)) {
			long start = System.nanoTime();
			holder.check();
			holder.stop();
			try (Lease next = this.registry.acquire(this.request)) {
				assertThat(Duration.ofNanos(System.nanoTime() - start)).as("wait for the holder's commit")
					.isGreaterThanOrEqualTo(IDLE);
				holder.resume();
				assertThat(holder.end()).contains("JDBC commit failed", "idle-in-transaction timeout");
				assertThat(rows()).isZero();
				assertThat(next.isHeld()).isTrue();
			}
		}
	}

	@Test
	void holderWhenStoppedBeforeTheCheckIsRefused() throws Exception {
		try (GuardedProcess holder = GuardedProcess.inTheBody(this.key, TTL, LONG_IDLE)) {
			holder.stop();
			try (Lease next = this.registry.acquire(this.request)) {
				holder.resume();
				assertThat(holder.end()).contains("LockLostException");
				assertThat(rows()).isZero();
				assertThat(next.isHeld()).isTrue();
			}
		}
	}

	/** Its lease has run out, which it learns after the commit. */
	@Test
	void holderWhenStoppedForAShorterTimeCommitsBeforeTheTakeover() throws Exception {
		try (GuardedProcess holder = GuardedProcess.inTheBody(this.key, TTL, LONG_IDLE)) {
			holder.check();
			holder.stop();
			CompletableFuture<Integer> seen = CompletableFuture.supplyAsync(() -> {
				try (Lease next = this.registry.acquire(this.request)) {
					return rows();
				}
			});
			awaitEndOfTheLease();
			assertThat(this.registry.tryAcquire(LockRequest.of(this.key).waitFor(Duration.ofMillis(100)))).isEmpty();
			assertThat(seen).isNotDone();
			holder.resume();
			assertThat(holder.end()).contains("The guarded code had ended");
			assertThat(seen.join()).as("rows that the next holder sees").isOne();
		}
	}

	@Test
	void holderWhenKilledBeforeItsCommitKeepsTheLockForItsLease() throws Exception {
		try (GuardedProcess holder = GuardedProcess.inTheBody(this.key, TTL, LONG_IDLE)) {
			holder.check();
			holder.close();
			try (Lease next = this.registry.acquire(this.request)) {
				assertThat(rows()).isZero();
				assertThat(next.isHeld()).isTrue();
			}
		}
	}

	private void awaitEndOfTheLease() {
		await().until(() -> this.store.inspect(new LockKey("", this.key)).join().holders().isEmpty());
	}

}
