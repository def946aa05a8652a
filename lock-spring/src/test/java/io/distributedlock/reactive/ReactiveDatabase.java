package io.distributedlock.reactive;

import java.time.Duration;
import java.util.UUID;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.test.store.Patience;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import reactor.core.publisher.Mono;

import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.reactive.TransactionalOperator;

/** Locks in memory, and reactive transactions on a real database. */
abstract class ReactiveDatabase {

	static final Duration LONG = Duration.ofSeconds(30);

	final ConnectionFactory connections = ConnectionFactories
		.get("r2dbc:h2:mem:///%s?options=DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));

	final DatabaseClient database = DatabaseClient.create(this.connections);

	final R2dbcTransactionManager manager = new R2dbcTransactionManager(this.connections);

	final TransactionalOperator transaction = TransactionalOperator.create(this.manager);

	final MemoryLocks locks = new MemoryLocks();

	final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(this.locks));

	final ReactiveLockTemplate template = new ReactiveLockTemplate(this.registry);

	@BeforeEach
	void createTable() {
		this.database.sql("CREATE TABLE stock (id INT)").then().block(Patience.CEILING);
	}

	@AfterEach
	void close() {
		this.registry.close();
	}

	final LockRequest request() {
		return LockRequest.of("k").waitFor(Duration.ZERO);
	}

	final Mono<Long> insert() {
		return this.database.sql("INSERT INTO stock VALUES (1)").fetch().rowsUpdated();
	}

	final Mono<Long> guardedInsert() {
		return this.template.execute(request(), (lease) -> insert());
	}

	final boolean isLocked() {
		return this.locks.isLocked("", "k");
	}

	final long rows() {
		return this.database.sql("SELECT COUNT(*) FROM stock")
			.map((row) -> row.get(0, Long.class))
			.one()
			.blockOptional(LONG)
			.orElseThrow();
	}

}
