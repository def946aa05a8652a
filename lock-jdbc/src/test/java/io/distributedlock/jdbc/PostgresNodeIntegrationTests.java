package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import io.distributedlock.store.StoreNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The server as health shows it. */
class PostgresNodeIntegrationTests {

	private static final int MANY = 10_100;

	@Test
	void serverWhenItAnswersHasItsTimeAndNoWarning() throws SQLException {
		try (Connection connection = SharedPostgres.pool().getConnection()) {
			StoreNode node = PostgresNode.ask(connection);
			assertThat(node.name()).isEqualTo("PostgreSQL");
			assertThat(node.failure()).isNull();
			assertThat(node.time()).isNotNull();
			assertThat(node.mayEvict()).isFalse();
			assertThat(node.warnings()).isEmpty();
		}
	}

	/** Its age in transactions is there for every user; 40 times slower was measured. */
	@Test
	void serverWhenASnapshotIsOldNamesItsSession() throws SQLException {
		try (Connection reader = SharedPostgres.SERVER.dataSource().getConnection();
				Connection writer = SharedPostgres.SERVER.dataSource().getConnection();
				Statement statement = writer.createStatement()) {
			reader.setAutoCommit(false);
			reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
			reader.createStatement().execute("SELECT set_config('application_name', 'report', false)");
			statement.execute(
					"DO $$ BEGIN FOR i IN 1.." + MANY + " LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$");
			assertThat(PostgresNode.oldest(writer)).satisfies((oldest) -> {
				assertThat(oldest.owner()).startsWith("session ").endsWith(" of postgres (report)");
				assertThat(oldest.transactions()).isGreaterThanOrEqualTo(MANY);
				assertThat(oldest.age()).isGreaterThanOrEqualTo(Duration.ZERO);
			});
		}
	}

	@ParameterizedTest
	@CsvSource({ "9999, PT2H, false", "10000, PT59S, false", "10000, PT1M, true", "99999, PT-1S, false",
			"100000, PT-1S, true" })
	void snapshotIsAWarningWhenItIsOld(long transactions, Duration age, boolean expected) {
		assertThat(new PostgresNode.Snapshot("session 1", transactions, age).isOld()).isEqualTo(expected);
	}

	@Test
	void warningNamesTheSessionAndItsAge() {
		assertThat(new PostgresNode.Snapshot("session 1 of u (pg_dump)", 20_000, Duration.ofMinutes(3)).warning())
			.startsWith("session 1 of u (pg_dump) has a snapshot that is 20000 transactions and 3m old, for which ");
		assertThat(new PostgresNode.Snapshot("session 1", 200_000, Duration.ofSeconds(-1)).warning())
			.startsWith("session 1 has a snapshot that is 200000 transactions old, for which ");
	}

}
