package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Leases after a crash of the server, which may have forgotten the last ones. They are
 * long, so no renewal notices that.
 */
class PostgresLockStoreCrashIntegrationTests {

	private static final Duration LONG = Duration.ofHours(1);

	/** It writes what nothing waits for every ten seconds only. */
	private final PostgresServer server = PostgresServer.start("wal_writer_delay=10s");

	private DefaultLockRegistry registry;

	@BeforeEach
	void start() {
		PostgresSchema.of(PostgresSchema.DEFAULT_TABLE).create(this.server.dataSource());
		this.registry = GuardedStock.registry(store(false).build());
	}

	@AfterEach
	void stop() {
		this.registry.close();
		this.server.close();
	}

	private PostgresLockStore.Builder store(boolean durable) {
		return PostgresLockStore.builder(this.server.dataSource())
			.commandTimeout(Duration.ofSeconds(10))
			.durable(durable);
	}

	private Lease acquire(String key) {
		return acquire(this.registry, key);
	}

	private static Lease acquire(DefaultLockRegistry registry, String key) {
		return registry.acquire(LockRequest.of(key).ttl(LONG).waitFor(Duration.ofMinutes(1)));
	}

	private void crash() {
		this.server.crash();
		this.server.restart();
	}

	private boolean isStored(Lease lease) {
		return isStored(lease, "true");
	}

	private boolean isStoredAsHeld(Lease lease) {
		return isStored(lease, "cardinality(owners) > 0");
	}

	private boolean isStored(Lease lease, String condition) {
		try (Connection connection = this.server.dataSource().getConnection();
				ResultSet rows = connection.createStatement()
					.executeQuery("SELECT FROM distributed_lock WHERE name = '" + new LockKey("", lease.key()).encoded()
							+ "' AND " + condition)) {
			return rows.next();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** It was held for as long as until its next renewal. */
	@Test
	void leaseThatTheServerHasForgottenIsLostWithTheNextAnswer() {
		Lease lease;
		do {
			acquire("other").close();
			lease = acquire(UUID.randomUUID().toString());
			crash();
		}
		while (isStored(lease));
		acquire("other").close();
		await().until(lease::isLost);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkHeld)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.NOT_OWNER));
	}

	@Test
	void leaseThatTheServerRemembersIsConfirmedWithTheNextAnswer() throws SQLException {
		try (Lease lease = acquire("a"); Connection connection = this.server.dataSource().getConnection()) {
			connection.createStatement().execute("CREATE TABLE written AS SELECT 1");
			crash();
			assertThat(isStored(lease)).isTrue();
			long before = this.registry.statistics().renewals();
			acquire("other").close();
			await().until(() -> this.registry.statistics().renewals() > before);
			await().until(lease::isHeld);
		}
	}

	/**
	 * The lock was held by no caller until its lease had ended. The first answer after
	 * the crash is that to a release, which comes much later.
	 */
	@Test
	void releaseThatTheServerHasForgottenIsSentAgain() throws SQLException {
		Lease lease;
		Lease other;
		do {
			other = acquire(UUID.randomUUID().toString());
			lease = acquire(UUID.randomUUID().toString());
			try (Connection connection = this.server.dataSource().getConnection()) {
				connection.createStatement().execute("CREATE TABLE \"" + lease.key() + "\" AS SELECT 1");
			}
			lease.close();
			crash();
		}
		while (!isStoredAsHeld(lease));
		long start = System.nanoTime();
		await().until(() -> System.nanoTime() - start > Duration.ofMillis(1500).toNanos());
		other.close();
		LockRequest again = LockRequest.of(lease.key()).waitFor(Duration.ZERO);
		await().until(() -> this.registry.tryAcquire(again).isPresent());
	}

	/** The other server may be an asynchronous replica, which may have missed changes. */
	@Test
	void durableStoreHasDoubtAfterAnotherStartToo() {
		Doubts doubts = new Doubts();
		try (PostgresLockStore durable = store(true).build()) {
			durable.start("00000000000000aa", doubts);
			answer(durable);
			crash();
			assertThat(doubts.count).hasValue(0);
			answer(durable);
			await().until(() -> doubts.count.get() == 1);
		}
	}

	private static void answer(PostgresLockStore store) {
		await().ignoreExceptions()
			.untilAsserted(() -> assertThat(store
				.acquire(new AcquireCommand(new LockKey("", UUID.randomUUID().toString()), RequestId.of(1, 0, 1, 0),
						LONG, Duration.ZERO, Duration.ZERO))
				.join()).isNotNull());
	}

	/** The server goes on, with its start, but without what was not written yet. */
	@Test
	void leaseIsLostWhenOneProcessOfTheServerCrashes() throws SQLException {
		try (PostgresLockStore listening = store(false).listenDataSource(this.server.dataSource()).build();
				DefaultLockRegistry other = GuardedStock.registry(listening)) {
			listening.listen();
			Lease lease;
			do {
				lease = acquire(other, UUID.randomUUID().toString());
				crashOneProcess();
			}
			while (isStored(lease));
			await().until(lease::isLost);
		}
	}

	/** The server ends all connections, and recovers. */
	private void crashOneProcess() throws SQLException {
		try (Connection connection = this.server.dataSource().getConnection();
				Connection other = this.server.dataSource().getConnection()) {
			long process = connection.unwrap(PGConnection.class).getBackendPID();
			assertThat(ProcessHandle.of(process).orElseThrow().destroyForcibly()).isTrue();
			await().until(() -> !other.isValid(1));
		}
		await().ignoreExceptions().until(() -> {
			try (Connection connection = this.server.dataSource().getConnection()) {
				return connection.isValid(1);
			}
		});
	}

	private static final class Doubts implements WakeUpListener {

		private final AtomicInteger count = new AtomicInteger();

		@Override
		public void doubted() {
			this.count.incrementAndGet();
		}

		@Override
		public void wakeUp(String encodedKey) {
		}

		@Override
		public void wakeUpAll() {
		}

	}

}
