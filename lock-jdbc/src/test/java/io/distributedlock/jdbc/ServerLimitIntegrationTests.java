package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static io.distributedlock.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

/** Limits of the server, its database or its user that statements run into. */
class ServerLimitIntegrationTests {

	private static final int SOME = 5;

	private static final PostgresServer SERVER = FaultyPostgres.SERVER;

	private final JdbcTemplate administrator = FaultyPostgres.administrator(SERVER);

	private CountingInstances counting(String key) {
		return new CountingInstances(FaultyPostgres.direct(SERVER), key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "statement_timeout = '300ms'", "lock_timeout = '20ms'",
			"idle_in_transaction_session_timeout = '200ms'", "transaction_timeout = '300ms'",
			"idle_session_timeout = '100ms'", "default_transaction_isolation = 'serializable'" })
	void counterWhenTheUserHasALimitLosesNoUpdate(String limit) throws Exception {
		this.administrator.execute("ALTER ROLE " + FaultyPostgres.USER + " SET " + limit);
		try (CountingInstances counting = counting("limit")) {
			counting.awaitCommits(2 * SOME);
			counting.stopAndVerify();
			assertThat(counting.overlaps()).isZero();
		}
		finally {
			this.administrator.execute("ALTER ROLE " + FaultyPostgres.USER + " RESET ALL");
		}
	}

	/**
	 * All connections of the stores wait for the table. A server does not notice that a
	 * client has gone while it waits for a lock, so each command left a session that
	 * waited, until no more could connect.
	 */
	@Test
	void sessionsWhenTheTableIsLockedDoNotBecomeMore() throws Exception {
		try (CountingInstances counting = counting("locked table");
				Connection blocker = SERVER.dataSource().getConnection()) {
			counting.awaitCommits(SOME);
			blocker.setAutoCommit(false);
			blocker.createStatement().execute("LOCK TABLE distributed_lock");
			int failures = counting.failures();
			await().until(() -> counting.failures() >= failures + 8);
			assertThat(waiting()).as("sessions that wait").isPositive().isLessThanOrEqualTo(2 * 4 + 5);
			blocker.commit();
			counting.awaitCommits(SOME);
			counting.stopAndVerify();
		}
	}

	/** The refusal to cancel the late statement failed each command from then on. */
	@Test
	void counterWhenTheUserMayCancelNoStatementGoesOnAfterALateOne() throws Exception {
		this.administrator.execute("REVOKE EXECUTE ON FUNCTION pg_cancel_backend FROM PUBLIC");
		try (CountingInstances counting = counting("no cancel");
				Connection blocker = SERVER.dataSource().getConnection()) {
			counting.awaitCommits(SOME);
			blocker.setAutoCommit(false);
			blocker.createStatement().execute("LOCK TABLE distributed_lock");
			int failures = counting.failures();
			await().until(() -> counting.failures() > failures);
			blocker.commit();
			counting.awaitCommits(SOME);
			counting.stopAndVerify();
		}
		finally {
			this.administrator.execute("GRANT EXECUTE ON FUNCTION pg_cancel_backend TO PUBLIC");
		}
	}

	private int waiting() {
		return this.administrator.queryForObject("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
				Integer.class);
	}

	@Test
	void lockWhenTheServerTakesNoMoreConnectionsIsUnavailable() throws Exception {
		List<Connection> all = new ArrayList<>();
		try (CountingInstances counting = counting("connections")) {
			counting.awaitCommits(SOME);
			connectAll(all);
			counting.awaitCommits(SOME);
			try (HikariDataSource pool = CountingInstances.pool(SERVER.url(), CountingInstances.STORE, 4);
					PostgresLockStore store = PostgresLockStore.builder(pool).build()) {
				AcquireCommand command = new AcquireCommand(new LockKey("", "late"), RequestId.of(1, 0, 1, 0),
						Duration.ofSeconds(60), Duration.ZERO, Duration.ZERO);
				assertThat(store.acquire(command)).failsWithin(Duration.ofSeconds(60))
					.withThrowableThat()
					.havingCause()
					.isInstanceOf(LockStoreException.class)
					.withMessageContaining("remaining connection slots");
				close(all);
				await().ignoreExceptions().until(() -> store.acquire(command).join() instanceof AcquireOutcome.Granted);
			}
			counting.awaitCommits(SOME);
			counting.stopAndVerify();
			assertThat(counting.overlaps()).isZero();
		}
		finally {
			close(all);
		}
	}

	private static void connectAll(List<Connection> all) {
		try {
			while (all.size() <= FaultyPostgres.MAX_CONNECTIONS) {
				all.add(FaultyPostgres.source(SERVER, "greedy").getConnection());
			}
		}
		catch (SQLException ex) {
			assertThat(ex.getSQLState()).as(ex.getMessage()).isEqualTo("53300");
		}
	}

	private static void close(List<Connection> all) throws SQLException {
		for (Connection each : all) {
			each.close();
		}
	}

}
