package io.distributedlock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.BootTypes;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.PostgresDatabase;
import io.distributedlock.jdbc.PostgresSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** An application in two instances that has its data and its locks in PostgreSQL. */
class PostgresApplicationIntegrationTests {

	private static final int CALLS = 20;

	private final PostgresDatabase database = PostgresDatabase.create();

	private final ApplicationContextRunner instance = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(BootTypes.of("jdbc", "DataSourceAutoConfiguration"),
				BootTypes.of("jdbc", "DataSourceTransactionManagerAutoConfiguration"),
				BootTypes.of("jdbc", "JdbcTemplateAutoConfiguration"), DistributedLockAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues(this.database.properties());

	private final ExecutorService executor = Executors.newFixedThreadPool(8);

	@BeforeEach
	void create() {
		this.database.execute(PostgresSchema.of("distributed_lock").ddl(), "CREATE TABLE stock (quantity int)",
				"INSERT INTO stock VALUES (0)");
	}

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	@Test
	void updatesOfTwoInstancesAreNeverLost() {
		this.instance.run((first) -> this.instance.run((second) -> {
			List<Stock> stocks = List.of(first.getBean(Stock.class), second.getBean(Stock.class));
			List<CompletableFuture<Void>> calls = new ArrayList<>();
			for (int call = 0; call < CALLS; call++) {
				calls.add(CompletableFuture.runAsync(stocks.get(call % 2)::add, this.executor));
			}
			calls.forEach(CompletableFuture::join);
		}));
		assertThat(this.database.rows("SELECT quantity FROM stock")).containsExactly(Integer.toString(CALLS));
	}

	/** The holder does not know of its loss, and looks at no token. */
	@Test
	void commitOfAHolderThatHasLostTheLockIsRefused() {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch taken = new CountDownLatch(1);
		this.instance.run((first) -> this.instance.run((second) -> {
			CompletableFuture<Void> late = CompletableFuture
				.runAsync(() -> first.getBean(Stock.class).set(1000, entered, taken), this.executor);
			assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
			assertThat(second.getBean(LockInspector.class).forceRelease("", "stock", null)).isOne();
			second.getBean(Stock.class).add();
			taken.countDown();
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> late.get(1, TimeUnit.MINUTES))
				.withCauseInstanceOf(LockLostException.class);
		}));
		assertThat(this.database.rows("SELECT quantity FROM stock")).containsExactly("1");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Application {

		@Bean
		Stock stock(JdbcTemplate jdbc) {
			return new Stock(jdbc);
		}

	}

	static class Stock {

		private final JdbcTemplate jdbc;

		Stock(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		@DistributedLock(key = "'stock'", waitFor = "1m")
		public void add() {
			int quantity = this.jdbc.queryForObject("SELECT quantity FROM stock", Integer.class);
			this.jdbc.update("UPDATE stock SET quantity = ?", quantity + 1);
		}

		@Transactional
		@DistributedLock(key = "'stock'", waitFor = "1m")
		public void set(int quantity, CountDownLatch entered, CountDownLatch taken) {
			entered.countDown();
			try {
				assertThat(taken.await(1, TimeUnit.MINUTES)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			this.jdbc.update("UPDATE stock SET quantity = ?", quantity);
		}

	}

}
