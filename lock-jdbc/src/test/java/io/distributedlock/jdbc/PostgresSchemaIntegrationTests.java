package io.distributedlock.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.embedded.RedisLink;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/** The table of the locks, from its creation to the check at the start. */
class PostgresSchemaIntegrationTests {

	private final DataSource dataSource = SharedPostgres.pool();

	private static void execute(DataSource dataSource, String sql) throws SQLException {
		try (Connection connection = dataSource.getConnection()) {
			connection.createStatement().execute(sql);
		}
	}

	@Test
	void tableIsThereWhenSeveralHaveCreatedItAtATime() {
		PostgresSchema schema = PostgresSchema.of("created_by_several");
		List<CompletableFuture<Void>> all = Stream.generate(() -> schema)
			.limit(4)
			.map((each) -> CompletableFuture.runAsync(() -> each.create(this.dataSource)))
			.toList();
		all.forEach(CompletableFuture::join);
		assertThatNoException().isThrownBy(() -> schema.check(this.dataSource));
	}

	/** For Flyway, Liquibase and by hand. */
	@Test
	void definitionThatIsShippedIsThatOfTheUsualTable() throws IOException {
		try (InputStream shipped = PostgresSchema.class.getResourceAsStream("migration/R__distributed_lock.sql")) {
			assertThat(shipped).asString(StandardCharsets.UTF_8).isEqualTo(PostgresSchema.of("distributed_lock").ddl());
		}
	}

	@Test
	void missingTableIsRefusedWithItsDefinition() {
		PostgresSchema schema = PostgresSchema.of("not_there");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> schema.check(this.dataSource))
			.withMessageContaining("does not exist")
			.withMessageContaining("CREATE TABLE IF NOT EXISTS not_there (")
			.withMessageEndingWith("COMMENT ON TABLE not_there IS 'distributed-lock 1';")
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(Kind.MISCONFIGURED));
	}

	@Test
	void tableOfAnotherVersionIsRefused() throws SQLException {
		PostgresSchema schema = PostgresSchema.of("of_another_version");
		schema.create(this.dataSource);
		execute(this.dataSource, "COMMENT ON TABLE of_another_version IS 'distributed-lock 0'");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> schema.check(this.dataSource))
			.withMessageContaining("distributed-lock 0");
	}

	/** The remedy was to drop it. */
	@Test
	void tableWithoutACommentIsRefusedWithTheStatementThatIsMissing() throws SQLException {
		PostgresSchema schema = PostgresSchema.of("without_comment");
		schema.create(this.dataSource);
		execute(this.dataSource, "COMMENT ON TABLE without_comment IS NULL");
		assertThatExceptionOfType(UnsuitableTableException.class).isThrownBy(() -> schema.check(this.dataSource))
			.withMessageContaining("COMMENT ON TABLE without_comment IS 'distributed-lock 1';")
			.withMessageNotContaining("drop");
	}

	/** It counted as an outage. */
	@Test
	void tableInASchemaThatIsMissingIsRefusedWithTheRemedy() {
		assertThatExceptionOfType(UnsuitableTableException.class)
			.isThrownBy(() -> PostgresSchema.of("no_schema.locks").create(this.dataSource))
			.withMessageContaining("CREATE SCHEMA IF NOT EXISTS no_schema;")
			.withMessageContaining("CREATE TABLE IF NOT EXISTS no_schema.locks (");
		var lost = SharedPostgres.SERVER.dataSource();
		lost.setCurrentSchema("no_schema");
		assertThatExceptionOfType(UnsuitableTableException.class)
			.isThrownBy(() -> PostgresSchema.of("in_no_schema").create(lost))
			.withMessageContaining("currentSchema");
	}

	/**
	 * It counted as an outage: the state of the driver is that of a broken connection.
	 */
	@Test
	void loginWithoutAPasswordIsRefusedAsAWrongOne() throws SQLException {
		JdbcTemplate server = new JdbcTemplate(this.dataSource);
		server.execute("CREATE USER guest PASSWORD 'secret'");
		server.execute("COPY (VALUES ('host all guest 127.0.0.1/32 scram-sha-256'), "
				+ "('host all all 127.0.0.1/32 trust')) TO '" + server.queryForObject("SHOW hba_file", String.class)
				+ "'");
		server.queryForList("SELECT pg_reload_conf()");
		var guest = SharedPostgres.SERVER.dataSource();
		guest.setUser("guest");
		Awaitility.await()
			.untilAsserted(() -> assertThatExceptionOfType(UnsuitableTableException.class)
				.isThrownBy(() -> PostgresSchema.of("of_a_guest").check(guest))
				.withMessageContaining("Correct the user and the password"));
		guest.setPassword("wrong");
		assertThatExceptionOfType(UnsuitableTableException.class)
			.isThrownBy(() -> PostgresSchema.of("of_a_guest").check(guest))
			.withMessageContaining("Correct the user and the password");
	}

	@Test
	void userWithoutPrivilegesIsRefusedByName() throws SQLException {
		PostgresSchema schema = PostgresSchema.of("of_the_administrator");
		schema.create(this.dataSource);
		execute(this.dataSource, "CREATE USER reader; GRANT SELECT ON of_the_administrator TO reader");
		var reader = SharedPostgres.SERVER.dataSource();
		reader.setUser("reader");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> schema.check(reader))
			.withMessageContaining("'reader'");
		assertThatNoException().as("it is there already").isThrownBy(() -> schema.create(reader));
	}

	/** It acquired no lock, and the start had not said why. */
	@Test
	void userWhoseTransactionsOnlyReadIsRefusedWithTheRemedy() throws SQLException {
		PostgresSchema schema = PostgresSchema.of("read_only_lock");
		schema.create(this.dataSource);
		execute(this.dataSource, "CREATE USER auditor; GRANT ALL ON read_only_lock TO auditor; "
				+ "ALTER USER auditor SET default_transaction_read_only = on");
		var auditor = SharedPostgres.SERVER.dataSource();
		auditor.setUser("auditor");
		String remedy = "ALTER ROLE \"auditor\" IN DATABASE postgres SET default_transaction_read_only = off;";
		List.<Consumer<DataSource>>of(schema::check, schema::create)
			.forEach((attempt) -> assertThatExceptionOfType(UnsuitableTableException.class)
				.isThrownBy(() -> attempt.accept(auditor))
				.withMessageContaining("cannot be written by 'auditor'")
				.satisfies((ex) -> assertThat(ex.getRemedy()).endsWith(remedy)));
		execute(this.dataSource, remedy);
		assertThatNoException().isThrownBy(() -> schema.check(auditor));
	}

	@Test
	void tableIsNotMadeInADatabaseThatIsRefusedAfterwards() throws SQLException {
		PostgresSchema schema = PostgresSchema.of("with_latin_keys");
		execute(this.dataSource, "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
		var latin = SharedPostgres.SERVER.dataSource();
		latin.setDatabaseName("latin");
		assertThatExceptionOfType(UnsuitableTableException.class).isThrownBy(() -> schema.create(latin))
			.withMessageContaining("the encoding LATIN1");
		assertThat(new JdbcTemplate(latin).queryForObject("SELECT to_regclass('with_latin_keys')", String.class))
			.isNull();
	}

	@Test
	void tableThatIsToBeMadeOnAStandbyIsRefusedWithTheRemedy() {
		try (PostgresServer primary = PostgresServer.start(); PostgresServer standby = primary.startStandby()) {
			assertThatExceptionOfType(UnsuitableTableException.class)
				.isThrownBy(() -> PostgresSchema.of("on_a_standby").create(standby.dataSource()))
				.withMessageContaining("Name the primary");
		}
	}

	/** Its process was stopped, or the network to it was cut, after the login. */
	@Test
	void serverWhenItStandsStillIsAwaitedNotForever() {
		PostgresSchema schema = PostgresSchema.of("frozen_lock");
		schema.create(this.dataSource);
		try (RedisLink link = RedisLink.to("127.0.0.1", SharedPostgres.SERVER.port())) {
			var frozen = SharedPostgres.SERVER.dataSource();
			frozen.setPortNumbers(new int[] { link.port() });
			link.hold("current_");
			Stream
				.<Runnable>of(() -> schema.create(frozen), () -> schema.check(frozen), () -> schema.qualified(frozen),
						() -> schema.checkCommits(this.dataSource, frozen))
				.map(CompletableFuture::runAsync)
				.toList()
				.forEach((attempt) -> assertThat(attempt).failsWithin(Duration.ofSeconds(30))
					.withThrowableThat()
					.havingCause()
					.asInstanceOf(type(LockStoreException.class))
					.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(Kind.UNAVAILABLE)));
		}
	}

	/** They may be those of the application. */
	@Test
	void connectionsThatAreCheckedKeepTheirNetworkTimeOut() throws SQLException {
		PostgresSchema schema = PostgresSchema.of("time_out_lock");
		try (Connection connection = SharedPostgres.SERVER.dataSource().getConnection()) {
			connection.setNetworkTimeout(Runnable::run, 12_345);
			DataSource kept = new SingleConnectionDataSource(connection, true);
			schema.create(kept);
			schema.check(kept);
			schema.checkCommits(kept, kept);
			assertThat(connection.getNetworkTimeout()).isEqualTo(12_345);
		}
	}

	/** Another instance stands still while it makes the table. */
	@Test
	void tableWhenAnotherSessionMakesItIsAwaitedNotForever() throws SQLException {
		PostgresSchema schema = PostgresSchema.of("blocked_lock");
		try (Connection other = this.dataSource.getConnection()) {
			other.setAutoCommit(false);
			other.createStatement().execute(schema.ddl());
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> schema.create(this.dataSource))
				.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(Kind.UNAVAILABLE));
			other.rollback();
		}
	}

	@Test
	void transactionsWhenOnTheDatabaseOfTheLocksCanBeChecked() throws SQLException {
		PostgresSchema schema = PostgresSchema.of("with_transactions");
		schema.create(this.dataSource);
		execute(this.dataSource, "CREATE USER clerk; GRANT SELECT ON with_transactions TO clerk");
		var clerk = SharedPostgres.SERVER.dataSource();
		clerk.setUser("clerk");
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> schema.checkCommits(this.dataSource, clerk))
			.withMessageContaining("may not be locked by 'clerk'")
			.withMessageEndingWith("GRANT SELECT, UPDATE ON with_transactions TO \"clerk\";");
		execute(this.dataSource, "GRANT UPDATE (expires) ON with_transactions TO clerk");
		assertThatNoException().isThrownBy(() -> schema.checkCommits(this.dataSource, clerk));
	}

	@Test
	void transactionsWhenOnAnotherDatabaseCannotBeChecked() throws SQLException {
		PostgresSchema schema = PostgresSchema.of("without_transactions");
		schema.create(this.dataSource);
		execute(this.dataSource, "CREATE DATABASE beside");
		var beside = SharedPostgres.SERVER.dataSource();
		beside.setDatabaseName("beside");
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> schema.checkCommits(this.dataSource, beside))
			.withMessageContaining("database 'beside'")
			.withMessageContaining("without a table of that name")
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(Kind.MISCONFIGURED));
		schema.create(beside);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> schema.checkCommits(this.dataSource, beside));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "Locks", "a.b.c", "x; DROP TABLE y", "1st" })
	void nameThatNeedsQuotesIsRefused(String table) {
		assertThatExceptionOfType(InvalidSettingException.class).isThrownBy(() -> PostgresSchema.of(table));
	}

}
