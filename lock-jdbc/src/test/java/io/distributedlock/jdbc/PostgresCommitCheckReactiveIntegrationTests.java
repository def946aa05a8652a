package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.UUID;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.reactive.ReactiveLockTemplate;
import io.distributedlock.transaction.LeaseTransactionListener;
import io.r2dbc.postgresql.PostgresqlConnectionConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionFactory;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Reactive transactions on the database of the locks (R2DBC): their owner is not checked
 * where they commit, so a fencing token has to refuse a late one.
 */
class PostgresCommitCheckReactiveIntegrationTests {

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private static GuardedStock stock;

	private final String key = UUID.randomUUID().toString();

	private final LockRequest request = LockRequest.of(this.key);

	private final ReactiveLockTemplate locks = new ReactiveLockTemplate(stock.registry);

	private final ConnectionFactory connections = new PostgresqlConnectionFactory(
			PostgresqlConnectionConfiguration.builder()
				.host("127.0.0.1")
				.port(SharedPostgres.SERVER.port())
				.database("postgres")
				.username("postgres")
				.build());

	private final DatabaseClient database = DatabaseClient.create(this.connections);

	private final TransactionalOperator transaction = TransactionalOperator.create(manager(this.connections));

	@BeforeAll
	static void start() {
		stock = new GuardedStock(true);
		stock.jdbc.execute("CREATE TABLE fenced (id text PRIMARY KEY, writer text, token bigint)");
	}

	@AfterAll
	static void stop() {
		stock.close();
	}

	private static R2dbcTransactionManager manager(ConnectionFactory connections) {
		R2dbcTransactionManager manager = new R2dbcTransactionManager(connections);
		manager.addListener(new LeaseTransactionListener());
		return manager;
	}

	private Mono<Long> insert() {
		return this.database.sql("INSERT INTO stock VALUES ($1)").bind("$1", this.key).fetch().rowsUpdated();
	}

	/** Take the lock from its holder, whose lease does not know it. */
	private Mono<Void> takeAway() {
		return Mono.<Void>fromRunnable(() -> stock.takeAway(this.key)).subscribeOn(Schedulers.boundedElastic());
	}

	@Test
	void commitWhenInsideTheLockHappensAlthoughItWasTakenAway() {
		Mono<Void> body = this.transaction.transactional(insert().then(takeAway()));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.locks.execute(this.request, (lease) -> body).block(PATIENCE))
			.satisfies((ex) -> assertThat(ex.isBodyCompleted()).as("found at the release").isTrue());
		assertThat(stock.rows(this.key)).isOne();
	}

	@Test
	void commitWhenAroundTheLockHappensAlthoughItWasTakenAway() {
		this.transaction.transactional(this.locks.execute(this.request, (lease) -> insert().then(takeAway())))
			.onErrorComplete(LockLostException.class)
			.block(PATIENCE);
		assertThat(stock.rows(this.key)).isOne();
	}

	/** There the lease is looked at, which has run out. */
	@Test
	void commitWhenAroundTheLockAfterTheLeaseIsRefused() {
		LockRequest brief = this.request.ttl(Duration.ofMillis(200)).renew(false);
		Mono<Void> body = this.transaction.transactional(
				this.locks.execute(brief, (lease) -> insert().then(Mono.delay(Duration.ofMillis(400))).then()));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> body.block(PATIENCE));
		assertThat(stock.rows(this.key)).isZero();
	}

	@Test
	void commitWhenTheRowComparesTheTokenIsRefused() {
		stock.jdbc.update("INSERT INTO fenced VALUES (?, 'none', 0)", this.key);
		Mono<Long> late = this.locks.execute(this.request,
				(lease) -> takeAway()
					.then(Mono.fromRunnable(this::writeAsNext).subscribeOn(Schedulers.boundedElastic()))
					.then(this.transaction.transactional(write("late", lease))));
		assertThat(late.onErrorComplete(LockLostException.class).blockOptional(PATIENCE)).isNotEqualTo(1L);
		assertThat(stock.jdbc.queryForObject("SELECT writer FROM fenced WHERE id = ?", String.class, this.key))
			.isEqualTo("next");
	}

	private void writeAsNext() {
		try (Lease next = stock.operator.acquire(this.request)) {
			write("next", next).block(PATIENCE);
		}
	}

	private Mono<Long> write(String writer, Lease lease) {
		return this.database.sql("UPDATE fenced SET writer = $1, token = $2 WHERE id = $3 AND token <= $2")
			.bind("$1", writer)
			.bind("$2", lease.fencingToken())
			.bind("$3", this.key)
			.fetch()
			.rowsUpdated();
	}

}
