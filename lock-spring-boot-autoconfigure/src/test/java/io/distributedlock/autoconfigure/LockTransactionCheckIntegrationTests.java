package io.distributedlock.autoconfigure;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.diagnostics.FailureReports;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.embedded.RedisLink;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.jdbc.PostgresSchema;
import io.distributedlock.jdbc.TransactionConnection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The transactions of an application that are checked where they commit. */
@ExtendWith(OutputCaptureExtension.class)
class LockTransactionCheckIntegrationTests {

	private static final String NOT_CHECKED = "are not on the database of the locks, ";

	private final PostgresDatabase database = PostgresDatabase.create();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(BootTypes.of("jdbc", "DataSourceAutoConfiguration"),
				BootTypes.of("jdbc", "DataSourceTransactionManagerAutoConfiguration"),
				BootTypes.of("jdbc", "JdbcTemplateAutoConfiguration"), DistributedLockAutoConfiguration.class))
		.withPropertyValues(this.database.properties());

	@BeforeEach
	void create() {
		this.database.execute(PostgresSchema.of("distributed_lock").ddl(), "CREATE TABLE stock (quantity int)");
	}

	/**
	 * Write in a guarded transaction, and take its lock away before the commit, which
	 * only the database of the locks notices.
	 */
	private static void writeWithALoss(PostgresDatabase locks, AssertableApplicationContext context,
			PlatformTransactionManager manager, JdbcTemplate jdbc) {
		TransactionTemplate transaction = new TransactionTemplate(manager);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(
				() -> context.getBean(LockTemplate.class).execute("stock", () -> transaction.execute((status) -> {
					jdbc.update("INSERT INTO stock VALUES (1)");
					locks.execute("DELETE FROM distributed_lock");
					return "";
				})));
	}

	private static void writeWithALoss(PostgresDatabase locks, AssertableApplicationContext context) {
		writeWithALoss(locks, context, context.getBean(PlatformTransactionManager.class),
				context.getBean(JdbcTemplate.class));
	}

	@Test
	void commitOfTheApplicationWhenTheLockIsLostIsRefused(CapturedOutput output) {
		this.runner.run((context) -> {
			writeWithALoss(this.database, context);
			assertThat(context.getBean(DefaultLockRegistry.class).checksCommits()).isTrue();
		});
		assertThat(this.database.rows("SELECT quantity FROM stock")).isEmpty();
		assertThat(output).doesNotContain(NOT_CHECKED);
	}

	/** As behind a pooler. */
	@Test
	void commitWhenTheAddressIsAnotherOneOfTheDatabaseIsRefused() {
		this.runner
			.withPropertyValues("distributed-lock.postgresql.url=" + this.database.url() + "?ApplicationName=locks",
					"distributed-lock.postgresql.username=postgres")
			.run((context) -> writeWithALoss(this.database, context));
		assertThat(this.database.rows("SELECT quantity FROM stock")).isEmpty();
	}

	@Test
	void startWhenTransactionsAreOnAnotherDatabaseSaysSo(CapturedOutput output) {
		PostgresDatabase other = PostgresDatabase.create().execute(PostgresSchema.of("distributed_lock").ddl());
		this.runner
			.withPropertyValues("distributed-lock.postgresql.url=" + other.url(),
					"distributed-lock.postgresql.username=postgres")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).contains("Transactions of the DataSource beans [dataSource] " + NOT_CHECKED
						+ other.url() + ": before they commit only the lease is checked");
				writeWithALoss(other, context);
			});
		assertThat(this.database.rows("SELECT quantity FROM stock")).as("written in spite of the loss").hasSize(1);
	}

	@Test
	void commitOfOneOfTwoDataSourcesIsCheckedByItsDatabase(CapturedOutput output) {
		PostgresDatabase other = PostgresDatabase.create().execute("CREATE TABLE stock (quantity int)");
		this.runner.withUserConfiguration(Archive.class)
			.withPropertyValues("archive.url=" + other.url())
			.run((context) -> {
				assertThat(output).contains("[archive] " + NOT_CHECKED);
				HikariDataSource archive = context.getBean("archive", HikariDataSource.class);
				writeWithALoss(this.database, context, new JdbcTransactionManager(archive), new JdbcTemplate(archive));
				writeWithALoss(this.database, context);
			});
		assertThat(other.rows("SELECT quantity FROM stock")).hasSize(1);
		assertThat(this.database.rows("SELECT quantity FROM stock")).isEmpty();
	}

	/** The server shows the time of its start in the time zone of the session. */
	@Test
	void commitWhenItsSessionHasAnotherTimeZoneIsRefused() {
		this.runner
			.withPropertyValues("distributed-lock.postgresql.url=" + this.database.url() + "?ApplicationName=locks",
					"spring.datasource.hikari.connection-init-sql=SET TIME ZONE 'Asia/Tokyo'",
					"distributed-lock.postgresql.username=postgres")
			.run((context) -> writeWithALoss(this.database, context));
		assertThat(this.database.rows("SELECT quantity FROM stock")).isEmpty();
	}

	/** It finds another table by the name of that of the locks, and none by others. */
	@Test
	void commitWhenItsSearchPathIsAnotherOneIsRefused() {
		this.database.execute("CREATE SCHEMA orders", "CREATE TABLE orders.stock (quantity int)",
				PostgresSchema.of("orders.distributed_lock").ddl());
		this.runner
			.withPropertyValues("spring.datasource.url=" + this.database.url() + "?currentSchema=orders",
					"distributed-lock.postgresql.url=" + this.database.url(),
					"distributed-lock.postgresql.username=postgres")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				writeWithALoss(this.database, context);
			});
		assertThat(this.database.rows("SELECT quantity FROM orders.stock")).isEmpty();
	}

	@Test
	void startWhenTransactionsMayNotUseTheSchemaReportsTheGrant() {
		this.database.execute("CREATE SCHEMA locks", PostgresSchema.of("locks.distributed_lock").ddl(),
				"DROP ROLE IF EXISTS clerk", "CREATE ROLE clerk LOGIN",
				"GRANT SELECT, UPDATE ON locks.distributed_lock TO clerk");
		this.runner
			.withPropertyValues("spring.datasource.username=clerk", "distributed-lock.postgresql.username=postgres",
					"distributed-lock.postgresql.table=locks.distributed_lock")
			.run((context) -> {
				FailureAnalysis report = FailureReports.of(context.getStartupFailure());
				assertThat(report.getAction()).contains("GRANT USAGE ON SCHEMA locks TO \"clerk\"");
			});
	}

	/** Its user may have nothing to do with locks. */
	@Test
	void startWhenAnotherDataSourceMayNotLockTheTableWarns(CapturedOutput output) {
		this.database.execute("DROP ROLE IF EXISTS report", "CREATE ROLE report LOGIN");
		this.runner.withUserConfiguration(Archive.class)
			.withPropertyValues("archive.url=" + this.database.url(), "archive.username=report")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("DataSource bean 'archive'", "may not be locked by 'report'");
	}

	/** As while a pooler still leads to the server before a fail-over. */
	@Test
	void answerWhenTheDatabaseWasAnotherOneIsAskedAgain() {
		AtomicLong now = new AtomicLong();
		PostgresDatabase other = PostgresDatabase.create().execute(PostgresSchema.of("distributed_lock").ddl());
		this.runner
			.withPropertyValues("distributed-lock.postgresql.url=" + other.url(),
					"distributed-lock.postgresql.username=postgres")
			.run((context) -> {
				LockTransactionCheck check = check(context, now::get);
				AtomicReference<Connection> led = new AtomicReference<>();
				Connection pooled = (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
						new Class<?>[] { Connection.class },
						(self, method, arguments) -> method.getName().equals("getMetaData")
								? this.database.connect().getMetaData() : method.invoke(led.get(), arguments));
				led.set(this.database.connect());
				assertThat(check.test(pooled)).isFalse();
				led.set(other.connect());
				assertThat(check.test(pooled)).as("remembered").isFalse();
				now.addAndGet(Duration.ofSeconds(10).toNanos());
				assertThat(check.test(pooled)).as("asked again").isTrue();
			});
	}

	/** It refused commits under good leases, each after it had waited for the pool. */
	@Test
	void outageOfTheLocksRefusesNoCommitOnAnotherDatabase() {
		AtomicLong now = new AtomicLong();
		try (PostgresServer locks = PostgresServer.start()) {
			new PostgresDatabase(locks.url()).execute(PostgresSchema.of("distributed_lock").ddl());
			runnerWithLocksAt(locks.port()).run((context) -> {
				LockTransactionCheck check = check(context, now::get);
				CountedStatements counted = new CountedStatements(this.database.connect());
				assertThat(check.test(counted.connection())).isFalse();
				locks.stop();
				now.addAndGet(Duration.ofSeconds(10).toNanos());
				assertThat(check.test(counted.connection())).as("as before").isFalse();
				int asked = counted.count.get();
				assertThat(check.test(counted.connection())).as("postponed").isFalse();
				assertThat(counted.count).hasValue(asked);
				now.addAndGet(Duration.ofSeconds(10).toNanos());
				assertThat(check.test(counted.connection())).as("asked again").isFalse();
				assertThat(counted.count).hasValueGreaterThan(asked);
			});
		}
	}

	@Test
	void serverOfTheLocksThatStandsStillIsAwaitedNotForever() {
		try (PostgresServer locks = PostgresServer.start(); RedisLink link = RedisLink.to("127.0.0.1", locks.port())) {
			new PostgresDatabase(locks.url()).execute(PostgresSchema.of("distributed_lock").ddl());
			runnerWithLocksAt(link.port()).run((context) -> {
				LockTransactionCheck check = check(context, System::nanoTime);
				link.hold("FROM pg_database WHERE datname");
				assertThat(CompletableFuture.supplyAsync(() -> check.test(this.database.connect())))
					.failsWithin(Duration.ofSeconds(30))
					.withThrowableThat()
					.withCauseInstanceOf(LockStoreException.class);
			});
		}
	}

	private ApplicationContextRunner runnerWithLocksAt(int port) {
		return this.runner.withPropertyValues(
				"distributed-lock.postgresql.url=jdbc:postgresql://127.0.0.1:%d/postgres".formatted(port),
				"distributed-lock.postgresql.username=postgres");
	}

	private static LockTransactionCheck check(AssertableApplicationContext context, LongSupplier nanoTime) {
		return new LockTransactionCheck(context.getBean(PostgresLockConnections.class),
				(ConfigurableListableBeanFactory) context.getAutowireCapableBeanFactory(), nanoTime);
	}

	/** As Redshift and others that speak as PostgreSQL does. */
	@Test
	void commitWhenItsServerDoesNotKnowTheQuestionIsNotRefused(CapturedOutput output) {
		PostgresDatabase locks = PostgresDatabase.create().execute(PostgresSchema.of("distributed_lock").ddl());
		this.database.execute("ALTER FUNCTION pg_postmaster_start_time() RENAME TO pg_started");
		this.runner
			.withPropertyValues("distributed-lock.postgresql.url=" + locks.url(),
					"distributed-lock.postgresql.username=postgres")
			.run((context) -> {
				AtomicLong now = new AtomicLong();
				LockTransactionCheck check = check(context, now::get);
				for (int i = 0; i < 2; i++) {
					new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
						.executeWithoutResult((status) -> {
							context.getBean(JdbcTemplate.class).update("INSERT INTO stock VALUES (1)");
							assertThat(check.test(DataSourceUtils.getConnection(context.getBean(DataSource.class))))
								.isFalse();
						});
					now.addAndGet(Duration.ofSeconds(10).toNanos());
				}
			});
		assertThat(output).contains("[dataSource] " + NOT_CHECKED);
		assertThat(output.toString().split("A server does not tell which one it is", -1))
			.as("warnings: at the start, and once by the other check")
			.hasSize(3);
		assertThat(this.database.rows("SELECT quantity FROM stock")).as("committed").hasSize(2);
	}

	@Test
	void startWhenTransactionsMayNotLockTheTableReportsTheGrant() {
		this.database.execute("DROP ROLE IF EXISTS shop", "CREATE ROLE shop LOGIN",
				"GRANT SELECT ON distributed_lock TO shop");
		this.runner
			.withPropertyValues("spring.datasource.username=shop", "distributed-lock.postgresql.username=postgres")
			.run((context) -> {
				FailureAnalysis report = FailureReports.of(context.getStartupFailure());
				assertThat(report.getDescription()).contains("may not be locked by 'shop' before a commit");
				assertThat(report.getAction()).contains("GRANT SELECT, UPDATE ON distributed_lock TO \"shop\"");
			});
	}

	@Test
	void standstillAfterTheCheckIsLimitedAsConfigured() {
		this.runner.withPropertyValues("distributed-lock.postgresql.idle-before-commit=5s")
			.run((context) -> context.getBean(LockTemplate.class)
				.executeWithoutResult("stock",
						() -> new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
							.executeWithoutResult((status) -> {
								Lease.current().orElseThrow().checkCommit();
								assertThat(context.getBean(JdbcTemplate.class)
									.queryForObject("SHOW idle_in_transaction_session_timeout", String.class))
									.isEqualTo("5s");
							})));
	}

	@Test
	void checkWhenSpringHasNoTransactionsIsLeftOut() {
		ApplicationContextRunner plain = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withPropertyValues(this.database.properties())
			.withPropertyValues("distributed-lock.postgresql.url=" + this.database.url(),
					"distributed-lock.postgresql.username=postgres");
		plain.withClassLoader(new FilteredClassLoader("org.springframework.jdbc"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockRegistry.class)
				.doesNotHaveBean(TransactionConnection.class));
		plain.withBean(TransactionConnection.class, () -> () -> null)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockTransactionCheck.class));
	}

	/** Counts the statements that a connection prepares. */
	private static final class CountedStatements {

		private final AtomicInteger count = new AtomicInteger();

		private final Connection target;

		CountedStatements(Connection target) {
			this.target = target;
		}

		Connection connection() {
			return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
					(self, method, arguments) -> {
						if (method.getName().equals("prepareStatement")) {
							this.count.incrementAndGet();
						}
						return method.invoke(this.target, arguments);
					});
		}

	}

	/** A second data source, beside that of Spring Boot. */
	@Configuration(proxyBeanMethods = false)
	static class Archive {

		@Bean(defaultCandidate = false)
		HikariDataSource archive(@Value("${archive.url}") String url,
				@Value("${archive.username:postgres}") String username) {
			HikariDataSource pool = new HikariDataSource();
			pool.setJdbcUrl(url);
			pool.setUsername(username);
			return pool;
		}

	}

}
