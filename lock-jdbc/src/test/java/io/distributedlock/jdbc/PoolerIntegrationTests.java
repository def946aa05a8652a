package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import javax.sql.DataSource;

import io.distributedlock.embedded.PgBouncer;
import io.distributedlock.embedded.PostgresServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks behind a PgBouncer in transaction mode, where each transaction may have another
 * connection to the server. Where there is no PgBouncer, this class says so.
 */
class PoolerIntegrationTests {

	private static final int SOME = 5;

	private static final int CONNECTIONS = 4;

	private static final PostgresServer SERVER = FaultyPostgres.SERVER;

	private final Optional<PgBouncer> pooler = PgBouncer.start(SERVER, FaultyPostgres.USER, CONNECTIONS);

	@BeforeEach
	void warn() {
		if (this.pooler.isEmpty()) {
			System.out.println("[WARNING] NOT TESTED: PgBouncer. " + PgBouncer.missing());
		}
	}

	@AfterEach
	void close() {
		this.pooler.ifPresent(PgBouncer::close);
	}

	private static CountingInstances counting(PgBouncer pooler, @Nullable DataSource listening, String key) {
		// An application has to know of an older pooler.
		return new CountingInstances(
				new CountingInstances.Addresses(pooler.url(), listening, pooler.url() + "?prepareThreshold=0"), key);
	}

	/** Messages do not pass the pooler, and a session of the server listened for ever. */
	@ParameterizedTest
	@EnumSource
	void counterWhenAPoolerSharesConnectionsLosesNoUpdate(WakeUps wakeUps) throws Exception {
		if (this.pooler.isEmpty()) {
			return;
		}
		try (CountingInstances counting = counting(this.pooler.get(), wakeUps.source(this.pooler.get()), "pooler")) {
			counting.awaitCommits(4 * SOME);
			counting.stopAndVerify();
			assertThat(counting.overlaps()).isZero();
			assertThat(counting.errors()).isEmpty();
			assertThat(settings()).as("settings that a session keeps").isEmpty();
		}
	}

	/** The settings of all connections to the server, each of which has a transaction. */
	private List<String> settings() throws SQLException {
		List<String> settings = new ArrayList<>();
		List<Connection> all = new ArrayList<>();
		for (int i = 0; i < CONNECTIONS; i++) {
			Connection connection = DriverManager.getConnection(this.pooler.orElseThrow().url() + "?prepareThreshold=0",
					FaultyPostgres.USER, "");
			all.add(connection);
			connection.setAutoCommit(false);
			settings.addAll(new JdbcTemplate(new SingleConnectionDataSource(connection, true))
				.queryForList("SELECT name || ' = ' || setting FROM pg_settings WHERE source = 'session' "
						+ "AND name IN ('synchronous_commit', 'lock_timeout', 'statement_timeout', "
						+ "'idle_in_transaction_session_timeout') "
						+ "UNION ALL SELECT 'listens to ' || pg_listening_channels()", String.class));
		}
		for (Connection connection : all) {
			connection.close();
		}
		return settings;
	}

	@Test
	void counterWhenThePoolerIsKilledLosesNoUpdate() throws Exception {
		if (this.pooler.isEmpty()) {
			return;
		}
		try (CountingInstances counting = counting(this.pooler.get(), WakeUps.DIRECT.source(this.pooler.get()),
				"killed pooler")) {
			for (int i = 0; i < 2; i++) {
				counting.awaitCommits(SOME);
				this.pooler.get().kill();
				this.pooler.get().restart();
			}
			counting.awaitCommits(SOME);
			counting.stopAndVerify();
			assertThat(counting.overlaps()).isZero();
		}
	}

	/** The connections for wake-ups. */
	private enum WakeUps {

		DIRECT, POLL, POOLED;

		@Nullable DataSource source(PgBouncer pooler) {
			PGSimpleDataSource source = FaultyPostgres.source(SERVER, CountingInstances.LISTENING);
			if (this == POOLED) {
				source.setUrl(pooler.url());
				source.setUser(FaultyPostgres.USER);
			}
			return (this != POLL) ? source : null;
		}

	}

}
