package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A table of the locks that cannot grow. On a disk that is full this server does not get
 * so far if it has to write its log: then it crashes, as in other tests.
 */
class FullDiskIntegrationTests {

	private static final int SOME = 5;

	private static final int LARGEST_FILE = 20_000_000;

	private static final String FILL = "INSERT INTO distributed_lock (name, state, owners, token, expires) "
			+ "SELECT gen_random_uuid(), repeat('x', ?), '{}', 1, 'infinity' FROM generate_series(1, ?)";

	private static PostgresServer server;

	private static JdbcTemplate administrator;

	@BeforeAll
	static void start() {
		server = FaultyPostgres.prepared(PostgresServer.startWithFilesUpTo(LARGEST_FILE, "autovacuum=off"));
		administrator = FaultyPostgres.administrator(server);
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@Test
	void locksWhenTheTableCannotGrowAreThoseThatItHas() throws Exception {
		try (CountingInstances counting = new CountingInstances(FaultyPostgres.direct(server), "disk");
				HikariDataSource pool = CountingInstances.pool(server.url(), CountingInstances.STORE, 4);
				PostgresLockStore store = PostgresLockStore.builder(pool).build()) {
			counting.awaitCommits(SOME);
			fill();
			AcquireCommand command = new AcquireCommand(new LockKey("", "new"), RequestId.of(1, 0, 1, 0),
					Duration.ofSeconds(60), Duration.ZERO, Duration.ZERO);
			assertThat(store.acquire(command)).failsWithin(Duration.ofSeconds(60))
				.withThrowableThat()
				.havingCause()
				.isInstanceOfSatisfying(LockStoreException.class,
						(ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE))
				.withMessageContaining("could not extend file");
			counting.awaitCommits(SOME);
			administrator.execute("DELETE FROM distributed_lock WHERE expires = 'infinity'");
			administrator.execute("VACUUM distributed_lock");
			assertThat(store.acquire(command).join()).isInstanceOf(AcquireOutcome.Granted.class);
			counting.stopAndVerify();
			assertThat(counting.overlaps()).isZero();
			assertThat(counting.errors()).isEmpty();
		}
	}

	/**
	 * Insert rows, fewer at a time after each failure, until there is no space for one.
	 */
	private static void fill() throws SQLException {
		try (Connection connection = server.dataSource().getConnection()) {
			for (int length : new int[] { 1_800, 100 }) {
				for (int rows : new int[] { 1_000, 100, 10, 1 }) {
					fill(connection, length, rows);
				}
			}
		}
	}

	private static void fill(Connection connection, int length, int rows) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(FILL)) {
			statement.setInt(1, length);
			statement.setInt(2, rows);
			for (int i = 0; i < 2_000; i++) {
				statement.execute();
			}
		}
		catch (SQLException ex) {
			assertThat(ex.getMessage()).contains("could not extend file");
			return;
		}
		throw new IllegalStateException("The table has space for all");
	}

}
