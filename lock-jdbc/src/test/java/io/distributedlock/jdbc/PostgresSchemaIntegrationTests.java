package io.distributedlock.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

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
