package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.test.store.Patience;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;

/** Guarded methods and reactive transactions, on a real database. */
class LockInterceptorReactiveTransactionTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final GuardedContext context = new GuardedContext().start(Transactions.class, Stock.class);

	private final Stock stock = this.context.bean(Stock.class);

	@BeforeEach
	void createTable() {
		this.context.bean(DatabaseClient.class).sql("CREATE TABLE stock (id INT)").then().block(Patience.CEILING);
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	private long rows() {
		return this.context.bean(DatabaseClient.class)
			.sql("SELECT COUNT(*) FROM stock")
			.map((row) -> row.get(0, Long.class))
			.one()
			.blockOptional(LONG)
			.orElseThrow();
	}

	@Test
	void transactionWhenInsideTheLockCommitsBeforeTheRelease() {
		List<String> log = new CopyOnWriteArrayList<>();
		Mono<Long> inserted = this.stock.insert(this.context, log);
		inserted.block(Patience.CEILING);
		inserted.block(Patience.CEILING);
		assertThat(log).containsExactly("completed 0, locked", "completed 0, locked");
		assertThat(this.context.isLocked("k")).isFalse();
		assertThat(rows()).isEqualTo(2);
	}

	@Test
	void lockWhenTransactionIsOpenIsKeptUntilTheCommit() {
		TransactionalOperator transaction = TransactionalOperator
			.create(this.context.bean(ReactiveTransactionManager.class));
		Mono<Boolean> changes = this.stock.insert(this.context, new CopyOnWriteArrayList<>())
			.then(Mono.fromSupplier(() -> this.context.isLocked("k")));
		assertThat(transaction.transactional(changes).block(Patience.CEILING)).isTrue();
		assertThat(this.context.isLocked("k")).isFalse();
		assertThat(rows()).isOne();
	}

	static class Stock {

		private final DatabaseClient database;

		Stock(DatabaseClient database) {
			this.database = database;
		}

		@DistributedLock("'k'")
		@Transactional
		public Mono<Long> insert(GuardedContext context, List<String> log) {
			return TransactionSynchronizationManager.forCurrentTransaction()
				.doOnNext((transaction) -> transaction.registerSynchronization(new TransactionSynchronization() {
					@Override
					public Mono<Void> afterCompletion(int status) {
						return Mono.fromRunnable(
								() -> log.add("completed " + status + (context.isLocked("k") ? ", locked" : ", free")));
					}
				}))
				.then(this.database.sql("INSERT INTO stock VALUES (1)").fetch().rowsUpdated());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Transactions {

		@Bean
		ConnectionFactory connections() {
			return ConnectionFactories.get("r2dbc:h2:mem:///%s?options=DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
		}

		@Bean
		DatabaseClient database(ConnectionFactory connections) {
			return DatabaseClient.create(connections);
		}

		@Bean
		R2dbcTransactionManager transactionManager(ConnectionFactory connections) {
			return new R2dbcTransactionManager(connections);
		}

	}

}
