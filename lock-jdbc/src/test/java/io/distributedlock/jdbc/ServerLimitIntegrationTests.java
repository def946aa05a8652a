package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static io.distributedlock.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/** Limits of the server, its database or its user that statements run into. */
class ServerLimitIntegrationTests {

	private static final int SOME = 5;

	/** The sessions of two stores, and some that are about to end. */
	private static final int MOST_WAITING = 2 * 4 + 5;

	private static final PostgresServer SERVER = FaultyPostgres.SERVER;

	private final JdbcTemplate administrator = FaultyPostgres.administrator(SERVER);

	private CountingInstances counting(String key) {
		return new CountingInstances(FaultyPostgres.direct(SERVER), key);
	}

	static Stream<String> limits() {
		return Stream.concat(
				Stream.of("statement_timeout = '300ms'", "lock_timeout = '20ms'",
						"idle_in_transaction_session_timeout = '200ms'", "idle_session_timeout = '100ms'",
						"default_transaction_isolation = 'serializable'"),
				sinceVersion17("transaction_timeout = '300ms'"));
	}

	/** Before, the queue has 8 GB. */
	static Stream<String> limitsOfMessages() {
		return sinceVersion17("max_notify_queue_pages=64");
	}

	private static Stream<String> sinceVersion17(String setting) {
		int version = FaultyPostgres.administrator(SERVER)
			.queryForObject("SELECT current_setting('server_version_num')::int / 10000", Integer.class);
		return (version >= 17) ? Stream.of(setting) : Stream.empty();
	}

	@ParameterizedTest
	@MethodSource("limits")
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
			assertThat(waiting()).as("sessions that wait").isPositive().isLessThanOrEqualTo(MOST_WAITING);
			blocker.commit();
			counting.awaitCommits(SOME);
			counting.stopAndVerify();
		}
	}

	/** The refusal failed each command from then on, or let sessions become more. */
	@Test
	void sessionsWhenCancellingIsRefusedDoNotBecomeMore() throws Exception {
		this.administrator.execute("REVOKE EXECUTE ON FUNCTION pg_cancel_backend FROM PUBLIC");
		try (CountingInstances counting = counting("no cancel");
				Connection blocker = SERVER.dataSource().getConnection()) {
			counting.awaitCommits(SOME);
			blocker.setAutoCommit(false);
			blocker.createStatement().execute("LOCK TABLE distributed_lock");
			int failures = counting.failures();
			await().until(() -> counting.failures() >= failures + 16);
			assertThat(waiting()).as("sessions that wait").isPositive().isLessThanOrEqualTo(MOST_WAITING);
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

	/**
	 * A listener of any application that is in a long transaction keeps all messages in
	 * the queue of the server. A lock for which others waited was held until its lease
	 * ran out.
	 */
	@ParameterizedTest(allowZeroInvocations = true)
	@MethodSource("limitsOfMessages")
	void lockWhenTheServerTakesNoMoreMessagesIsReleased(String limit) throws SQLException {
		try (PostgresServer server = PostgresServer.start(limit);
				Connection listener = server.dataSource().getConnection();
				Connection sender = server.dataSource().getConnection();
				PostgresLockStore store = PostgresLockStore.builder(server.dataSource()).build()) {
			PostgresSchema.of(PostgresSchema.DEFAULT_TABLE).create(server.dataSource());
			AcquireCommand holder = command("messages", 1, Duration.ZERO);
			await().ignoreExceptions().until(() -> store.acquire(holder).join() instanceof AcquireOutcome.Granted);
			assertThat(store.acquire(command("messages", 2, Duration.ofSeconds(60))).join())
				.isInstanceOf(AcquireOutcome.Busy.class);
			fillQueue(listener, sender);
			assertThat(store.release(new ReleaseCommand(holder.keys().get(0), holder.request())).join())
				.isEqualTo(Ownership.HELD);
			assertThat(store.inspect(holder.keys().get(0)).join().holders()).isEmpty();
		}
	}

	private static AcquireCommand command(String key, long number, Duration waiting) {
		return new AcquireCommand(new LockKey("", key), RequestId.of(number, 0, 1, 0), Duration.ofSeconds(60),
				Duration.ZERO, waiting);
	}

	private static void fillQueue(Connection listener, Connection sender) throws SQLException {
		listener.createStatement().execute("LISTEN other");
		listener.setAutoCommit(false);
		listener.createStatement().execute("SELECT 1");
		try (PreparedStatement message = sender.prepareStatement("SELECT pg_notify('other', repeat('x', 7000) || ?)")) {
			for (int i = 0; i < 1_000; i++) {
				message.setInt(1, i);
				message.execute();
			}
			fail("The queue has no limit");
		}
		catch (SQLException ex) {
			assertThat(ex.getSQLState()).as(ex.getMessage()).isEqualTo("54000");
		}
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
				AcquireCommand command = command("late", 1, Duration.ZERO);
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
