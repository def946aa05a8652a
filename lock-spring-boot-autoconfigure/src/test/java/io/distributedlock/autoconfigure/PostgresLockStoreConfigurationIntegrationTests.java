package io.distributedlock.autoconfigure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.autoconfigure.diagnostics.FailureReports;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.embedded.RedisLink;
import io.distributedlock.jdbc.PostgresLockStore;
import io.distributedlock.jdbc.PostgresSchema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/** The store of an application on a real server: its connections and its table. */
@ExtendWith(OutputCaptureExtension.class)
class PostgresLockStoreConfigurationIntegrationTests {

	private static final String ALWAYS = "distributed-lock.postgresql.initialize-schema=always";

	private static final Duration LONGEST_START = Duration.ofSeconds(40);

	private final PostgresDatabase database = PostgresDatabase.create();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(BootTypes.of("jdbc", "DataSourceAutoConfiguration"),
				DistributedLockAutoConfiguration.class))
		.withPropertyValues(this.database.properties());

	private static void assertThatLocksExclude(LockRegistry registry) {
		LockRequest once = LockRequest.of("k").waitFor(Duration.ZERO);
		try (Lease lease = registry.acquire(once)) {
			assertThat(lease.fencingToken()).isPositive();
			assertThat(registry.tryAcquire(once)).isEmpty();
		}
		assertThat(registry.tryAcquire(once)).hasValueSatisfying(Lease::close);
	}

	private void createTable() {
		this.database.execute(PostgresSchema.of("distributed_lock").ddl());
	}

	@Test
	void locksWhenTheTableIsThereAreInTheDatabaseOfTheApplication() {
		createTable();
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(PostgresLockStore.class);
			assertThatLocksExclude(context.getBean(LockRegistry.class));
		});
		assertThat(this.database.rows("SELECT name FROM distributed_lock")).hasSize(1);
	}

	/** Pools of locks in that of the application dead-locked with its transactions. */
	@Test
	void locksWhenTheApplicationHasNoConnectionLeftHaveTheirOwn() {
		createTable();
		this.runner.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1").run((context) -> {
			assertThat(context).hasSingleBean(HikariDataSource.class);
			try (Connection last = context.getBean(HikariDataSource.class).getConnection()) {
				assertThat(last.isValid(1)).isTrue();
				assertThatLocksExclude(context.getBean(LockRegistry.class));
			}
		});
	}

	@Test
	void poolHasTheConfiguredSizeAndClosesWithTheStore() {
		createTable();
		HikariDataSource[] pool = new HikariDataSource[1];
		this.runner.withPropertyValues("distributed-lock.postgresql.pool-size=3").run((context) -> {
			pool[0] = (HikariDataSource) context.getBean(PostgresLockConnections.class).commands();
			assertThat(pool[0].getMaximumPoolSize()).isEqualTo(3);
			assertThat(pool[0].getMinimumIdle()).isEqualTo(2);
			assertThat(pool[0].getValidationTimeout()).isEqualTo(pool[0].getConnectionTimeout()).isEqualTo(1_000);
			PostgresLockStore store = context.getBean(PostgresLockStore.class);
			assertThat(store.isIndependent()).isTrue();
			assertThat(store).extracting("lane.connections").isEqualTo(3);
			assertThat(pool[0].isClosed()).isFalse();
		});
		assertThat(pool[0].isClosed()).isTrue();
	}

	@Test
	void tableWhenItIsToBeMadeIsThereAfterEachStart() {
		ApplicationContextRunner named = this.runner.withPropertyValues(ALWAYS,
				"distributed-lock.postgresql.table=locks_of_orders");
		for (int start = 0; start < 2; start++) {
			named.run((context) -> assertThatLocksExclude(context.getBean(LockRegistry.class)));
		}
		assertThat(this.database.rows("SELECT to_regclass('locks_of_orders')")).containsExactly("locks_of_orders");
	}

	@ParameterizedTest
	@ValueSource(strings = { "embedded", "never" })
	void startWhenTheTableIsMissingReportsItsDefinition(String choice) {
		this.runner.withPropertyValues("distributed-lock.postgresql.initialize-schema=" + choice).run((context) -> {
			FailureAnalysis report = FailureReports.of(context.getStartupFailure());
			assertThat(report.getDescription()).contains("The table 'distributed_lock' does not exist.");
			assertThat(report.getAction()).contains("CREATE TABLE IF NOT EXISTS distributed_lock (\n")
				.contains("distributed-lock.postgresql.initialize-schema=always")
				.contains("R__distributed_lock.sql");
		});
	}

	@Test
	void startWhenTheTableIsAnotherOneSaysSo() {
		this.database.execute("CREATE TABLE distributed_lock (id int)");
		this.runner.run((context) -> assertThat(FailureReports.of(context.getStartupFailure()).getDescription())
			.contains("The table 'distributed_lock' has no comment, which names its version."));
	}

	@Test
	void startWhenTheUserMayNotUseTheTableReportsTheGrant() {
		createTable();
		this.database.execute("DROP ROLE IF EXISTS \"locks-1\"", "CREATE ROLE \"locks-1\" LOGIN",
				"GRANT SELECT ON distributed_lock TO \"locks-1\"");
		this.runner.withPropertyValues("distributed-lock.postgresql.username=locks-1").run((context) -> {
			FailureAnalysis report = FailureReports.of(context.getStartupFailure());
			assertThat(report.getDescription()).contains("may not be used by 'locks-1'");
			assertThat(report.getAction())
				.contains("GRANT SELECT, INSERT, UPDATE, DELETE ON distributed_lock TO \"locks-1\";");
		});
	}

	@Test
	void startWhenTheUserMayNotCreateTheTableReportsItsDefinition() {
		this.database.execute("DROP ROLE IF EXISTS visitor", "CREATE ROLE visitor LOGIN");
		this.runner.withPropertyValues(ALWAYS, "distributed-lock.postgresql.username=visitor").run((context) -> {
			FailureAnalysis report = FailureReports.of(context.getStartupFailure());
			assertThat(report.getDescription()).contains("cannot be created: ", "permission denied");
			assertThat(report.getAction()).contains("CREATE TABLE IF NOT EXISTS distributed_lock (\n");
		});
	}

	/** A definition of the table does not help who cannot log in. */
	@ParameterizedTest
	@CsvSource({ "username=unknown, role \"unknown\" does not exist, Correct the user and the password",
			"url=/unknown, database \"unknown\" does not exist, Correct the name of the database",
			"table=missing_schema.locks, The table 'missing_schema.locks' does not exist, CREATE TABLE",
			"table=closed.locks, permission denied for schema closed, grant USAGE on the schema" })
	void startWhenTheServerRefusesReportsWhatItSays(String setting, String problem, String remedy) {
		this.database.execute("CREATE SCHEMA closed", "DROP ROLE IF EXISTS stranger", "CREATE ROLE stranger LOGIN");
		String property = "distributed-lock.postgresql."
				+ setting.replaceFirst("(?=/unknown)", this.database.url().replaceFirst("/[^/]*$", ""));
		this.runner.withPropertyValues("distributed-lock.postgresql.username=stranger", property).run((context) -> {
			FailureAnalysis report = FailureReports.of(context.getStartupFailure());
			assertThat(report.getDescription()).contains(problem);
			assertThat(report.getAction()).startsWith(remedy.equals("CREATE TABLE") ? "Create it" : "Correct")
				.contains(remedy);
			assertThat(report.getAction().contains("CREATE TABLE")).isEqualTo(setting.startsWith("table"));
		});
	}

	@Test
	void startWhenTheDatabaseIsNoPostgresSaysWhichItIs() {
		this.runner.withPropertyValues("spring.datasource.url=jdbc:h2:mem:locks", "spring.datasource.username=sa")
			.run((context) -> assertThat(FailureReports.of(context.getStartupFailure()).getDescription())
				.contains("The table 'distributed_lock' cannot be in H2 "));
	}

	/** The table is made before it is checked. */
	@Test
	void startWhenTheTableIsToBeMadeOnAStandbyNamesThePrimary() {
		try (PostgresServer primary = PostgresServer.start(); PostgresServer standby = primary.startStandby()) {
			this.runner
				.withPropertyValues(ALWAYS, "distributed-lock.postgresql.url=" + standby.url(),
						"distributed-lock.postgresql.username=postgres")
				.run((context) -> assertThat(FailureReports.of(context.getStartupFailure()).getAction())
					.startsWith("Name the primary."));
		}
	}

	/** A server that stands still does not notice the time-out of a statement. */
	@Test
	void startWhenTheServerStandsStillAfterTheLoginGoesOn(CapturedOutput output) {
		createTable();
		int port = Integer.parseInt(this.database.url().replaceAll(".*:|/.*$", ""));
		try (RedisLink link = RedisLink.to("127.0.0.1", port)) {
			link.hold("current_");
			assertTimeoutPreemptively(LONGEST_START,
					() -> this.runner
						.withPropertyValues(
								"distributed-lock.postgresql.url="
										+ this.database.url().replace(":" + port, ":" + link.port()),
								"distributed-lock.postgresql.username=postgres")
						.run((context) -> assertThat(context).hasNotFailed()));
		}
		assertThat(output).contains("does not answer within 5s");
	}

	@Test
	void waitersWhenTheyAreToPollHaveNoConnectionThatListens() {
		createTable();
		this.runner.run((context) -> assertThat(listening(context.getBean(PostgresLockConnections.class))).isNotNull());
		this.runner.withPropertyValues("distributed-lock.postgresql.wake-up=poll").run((context) -> {
			assertThat(listening(context.getBean(PostgresLockConnections.class))).isNull();
			assertThatLocksExclude(context.getBean(LockRegistry.class));
		});
	}

	@Test
	void connectionThatListensHasTheAddressOfTheServer() {
		createTable();
		String url = this.database.url() + "?options=-c%20geqo=off";
		this.runner.withPropertyValues("distributed-lock.postgresql.listen-url=" + url).run((context) -> {
			try (Connection connection = listening(context.getBean(PostgresLockConnections.class)).getConnection()) {
				assertThat(connection.getMetaData().getURL()).isEqualTo(url);
			}
		});
	}

	private static DataSource listening(PostgresLockConnections connections) {
		return (DataSource) ReflectionTestUtils.getField(connections, "listening");
	}

	/** The pool of the locks had set it to its command time-out, for all drivers. */
	@Test
	void loginsOfTheApplicationKeepTheirTimeOut() {
		createTable();
		int before = DriverManager.getLoginTimeout();
		this.runner
			.withPropertyValues("spring.datasource.type=org.springframework.jdbc.datasource.DriverManagerDataSource")
			.run((context) -> assertThatLocksExclude(context.getBean(LockRegistry.class)));
		assertThat(DriverManager.getLoginTimeout()).isEqualTo(before);
	}

}
