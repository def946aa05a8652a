package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.distributedlock.Lease;
import io.distributedlock.LeaseHandle;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockTemplate;
import io.distributedlock.LossReason;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.jdbc.transaction.SpringTransactionConnection;
import io.distributedlock.reactive.ReactiveLockTemplate;
import io.distributedlock.transaction.LeaseTransactionListener;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mybatis.spring.SqlSessionTemplate;
import org.mybatis.spring.transaction.SpringManagedTransactionFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * All ways in which a transaction runs under a lock: which of them commit after the lock
 * was taken away from a holder whose lease knows nothing of it.
 */
class CommitRefusalIntegrationTests {

	private static GuardedStock stock;

	private final String key = UUID.randomUUID().toString();

	/** The effect of the body. */
	private Runnable insert = () -> stock.insert(this.key);

	private final LockRequest request = LockRequest.of(this.key).waitFor(Duration.ofSeconds(20));

	@BeforeAll
	static void start() {
		stock = new GuardedStock(true);
	}

	@AfterAll
	static void stop() {
		stock.close();
	}

	/** Those that are checked. */
	static Stream<Named<Way>> checked() {
		return Stream.of(Named.of("transaction inside the lock", CommitRefusalIntegrationTests::inside),
				Named.of("lock inside the transaction", CommitRefusalIntegrationTests::around),
				Named.of("annotations", (test, body) -> stock.methods().guarded(test.key, body)),
				Named.of("fair", (test, body) -> test.inside(test.request.mode(LockMode.FAIR), body)),
				Named.of("reader", (test, body) -> test.inside(test.request.mode(LockMode.READ), body)),
				Named.of("permit", (test, body) -> test.inside(test.request.mode(LockMode.SEMAPHORE).permits(2), body)),
				Named.of("several keys", (test, body) -> test.inside(test.severalKeys(), body)),
				Named.of("entered again", CommitRefusalIntegrationTests::enteredAgain),
				Named.of("handed on", CommitRefusalIntegrationTests::handedOn),
				Named.of("future", CommitRefusalIntegrationTests::future),
				Named.of("another thread, wrapped", (test, body) -> test.onAnotherThread(Lease::wrap, body)),
				Named.of("repeatable read",
						(test, body) -> test.isolated(TransactionDefinition.ISOLATION_REPEATABLE_READ, body)),
				Named.of("serializable",
						(test, body) -> test.isolated(TransactionDefinition.ISOLATION_SERIALIZABLE, body)),
				Named.of("REQUIRES_NEW", CommitRefusalIntegrationTests::requiresNew),
				Named.of("nested", CommitRefusalIntegrationTests::nested),
				Named.of("SYNCHRONIZATION_NEVER", CommitRefusalIntegrationTests::withoutSynchronization),
				Named.of("inside the transaction of another manager", CommitRefusalIntegrationTests::ofTwoManagers),
				Named.of("TransactionAwareDataSourceProxy", CommitRefusalIntegrationTests::aware),
				Named.of("LazyConnectionDataSourceProxy", CommitRefusalIntegrationTests::lazy),
				Named.of("JdbcClient", CommitRefusalIntegrationTests::client),
				Named.of("JPA", CommitRefusalIntegrationTests::jpa),
				Named.of("MyBatis", (test, body) -> test.myBatis(ExecutorType.SIMPLE, body)),
				Named.of("MyBatis, batch", (test, body) -> test.myBatis(ExecutorType.BATCH, body)),
				Named.of("jOOQ", CommitRefusalIntegrationTests::jooq),
				Named.of("lease of a registry", CommitRefusalIntegrationTests::lease),
				Named.of("lock of a thread", CommitRefusalIntegrationTests::lockOfAThread),
				Named.of("lock of a callback", CommitRefusalIntegrationTests::inCallback),
				Named.of("Mono", (test, body) -> test.mono(Lease::checkCommit, body)));
	}

	/** Those that are not, as documented. */
	static Stream<Named<Way>> unchecked() {
		return Stream.of(Named.of("whenLost = IGNORE", (test, body) -> stock.methods().ignoringLoss(test.key, body)),
				Named.of("another thread", (test, body) -> test.onAnotherThread(UnaryOperator.identity(), body)),
				Named.of("manager without listener", CommitRefusalIntegrationTests::withoutListener),
				Named.of("transaction of jOOQ's own", CommitRefusalIntegrationTests::ofJooq),
				Named.of("SYNCHRONIZATION_NEVER around the lock",
						CommitRefusalIntegrationTests::withoutSynchronizationAround),
				Named.of("no transaction", (test, body) -> stock.locks.executeWithoutResult(test.request, body)),
				Named.of("lease closed before the commit", CommitRefusalIntegrationTests::closedEarly),
				Named.of("Mono without a call", (test, body) -> test.mono((lease) -> {
				}, body)));
	}

	@ParameterizedTest
	@MethodSource("checked")
	void commitWhenTheLockWasTakenAwayIsRefused(Way way) {
		assertThatException().isThrownBy(() -> way.run(this, () -> {
			this.insert.run();
			stock.takeAway(this.key);
		})).satisfies((ex) -> assertThat(lossIn(ex).getReason()).isEqualTo(LossReason.NOT_OWNER));
		assertThat(stock.rows(this.key)).isZero();
	}

	private static LockLostException lossIn(Throwable ex) {
		Throwable found = ex;
		while (!(found instanceof LockLostException) && found.getCause() != null) {
			found = found.getCause();
		}
		assertThat(found).isInstanceOf(LockLostException.class);
		return (LockLostException) found;
	}

	@ParameterizedTest
	@MethodSource({ "checked", "unchecked" })
	void commitWhenTheLockIsHeldHappens(Way way) throws Exception {
		way.run(this, () -> this.insert.run());
		assertThat(stock.rows(this.key)).isOne();
	}

	@ParameterizedTest
	@MethodSource("unchecked")
	void commitWhenNotCheckedHappensAlthoughTheLockWasTaken(Way way) {
		try {
			way.run(this, () -> {
				this.insert.run();
				stock.takeAway(this.key);
			});
		}
		catch (Exception ex) {
			assertThat(lossIn(ex)).as("told after the commit").isNotNull();
		}
		assertThat(stock.rows(this.key)).isOne();
	}

	/** The lock is not there, so there is no owner to check. */
	@Test
	void commitWhenTheConditionIsFalseHappens() {
		stock.methods().onCondition(this.key, () -> stock.insert(this.key));
		assertThat(stock.rows(this.key)).isOne();
	}

	@Test
	void commitWhenTheStoreIsUnavailableAndTheCallProceedsHappens() {
		try (GuardedStock other = new GuardedStock(true)) {
			other.loseStore();
			other.methods().proceeding(this.key, () -> other.insert(this.key));
		}
		assertThat(stock.rows(this.key)).isOne();
	}

	@Test
	void commitWhenNothingIsWrittenIsNotChecked() {
		TransactionTemplate reading = stock.transaction();
		reading.setReadOnly(true);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> stock.locks.executeWithoutResult(this.request,
					() -> reading.executeWithoutResult((status) -> stock.takeAway(this.key))))
			.satisfies((ex) -> assertThat(ex.isBodyCompleted()).as("found at the release").isTrue());
	}

	@Test
	void transactionOfAnotherDatabaseIsNotChecked() {
		stock.jdbc.execute("CREATE DATABASE elsewhere");
		var elsewhere = SharedPostgres.SERVER.dataSource();
		elsewhere.setDatabaseName("elsewhere");
		JdbcTemplate jdbc = new JdbcTemplate(elsewhere);
		jdbc.execute("CREATE TABLE stock (id text)");
		this.insert = () -> jdbc.update("INSERT INTO stock VALUES (?)", this.key);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(
				() -> inside(this.request, GuardedStock.checked(new DataSourceTransactionManager(elsewhere)), () -> {
					this.insert.run();
					stock.takeAway(this.key);
				}))
			.satisfies((ex) -> assertThat(ex.isBodyCompleted()).as("found at the release").isTrue());
		assertThat(jdbc.queryForObject("SELECT count(*) FROM stock", Integer.class)).isOne();
	}

	/** The commit of the holder before is not in the snapshot. */
	@Test
	void commitWhenTheSnapshotIsOlderThanTheLockIsRefused() {
		TransactionTemplate older = stock.transaction(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> older.executeWithoutResult((status) -> {
			stock.jdbc.queryForObject("SELECT count(*) FROM stock", Integer.class);
			stock.locks.executeWithoutResult(this.request, () -> stock.insert(this.key));
		})).withMessageContaining("snapshot");
		assertThat(stock.rows(this.key)).isZero();
		assertThat(stock.registry.held()).noneMatch((held) -> held.keys().contains(this.key));
	}

	/** The check locks the row against takeovers, but the holder itself lets go. */
	@Test
	void lockWhenClosedAfterTheCheckIsGivenToTheNext() {
		stock.transaction().executeWithoutResult((status) -> {
			try (Lease lease = stock.registry.acquire(this.request)) {
				lease.checkCommit();
			}
			assertThat(stock.operator.tryAcquire(this.request)).isPresent();
		});
	}

	/** Its lease had run out, and the next holder had the lock before the commit. */
	@Test
	void lockWhenItsFutureEndsDuringTheCommitStaysTaken() {
		LockRequest other = LockRequest.of(this.key).waitFor(Duration.ZERO);
		AtomicReference<Lease> held = new AtomicReference<>();
		CompletableFuture<Void> body = new CompletableFuture<>();
		AtomicReference<CompletableFuture<Void>> result = new AtomicReference<>();
		DataSourceTransactionManager manager = new DataSourceTransactionManager(stock.dataSource);
		manager.setTransactionExecutionListeners(
				List.of(new LeaseTransactionListener(), new TransactionExecutionListener() {
					@Override
					public void beforeCommit(TransactionExecution transaction) {
						await().until(() -> !held.get().isHeld());
						CompletableFuture.runAsync(() -> body.complete(null)).join();
						await().until(result.get()::isDone);
						assertThat(stock.operator.tryAcquire(other)).isEmpty();
					}
				}));
		try (DefaultLockRegistry registry = GuardedStock.registry(PostgresLockStore.builder(SharedPostgres.pool())
			.checkCommits(new SpringTransactionConnection(stock.dataSource))
			.idleBeforeCommit(Duration.ofMinutes(1))
			.build())) {
			new TransactionTemplate(manager).executeWithoutResult((status) -> result.set(new LockTemplate(registry)
				.executeAsync(this.request.ttl(Duration.ofSeconds(3)).renew(false), (lease) -> {
					held.set(lease);
					return body;
				})));
		}
		assertThat(result.get()).isCompletedExceptionally();
		await().until(() -> stock.operator.tryAcquire(other).isPresent());
	}

	/** That took the lock from a holder whose transaction was about to commit. */
	@Test
	void lockWhenReleasedByHandleDuringTheCommitStaysTaken() {
		stock.transaction().executeWithoutResult((status) -> {
			Lease lease = stock.registry.acquire(this.request);
			LeaseHandle handle = lease.handle();
			lease.checkCommit();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> stock.operator.release(handle));
			assertThat(stock.operator.tryAcquire(this.request.waitFor(Duration.ZERO))).isEmpty();
		});
	}

	/** A hand-off inside the instance leaves no trace in the database. */
	@Test
	void snapshotWhenOlderThanAHandOffIsNotNoticed() {
		TransactionTemplate transaction = stock.transaction(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		Runnable snapshot = () -> stock.jdbc.queryForObject("SELECT 1 FROM pg_class LIMIT 1", Long.class);
		AtomicBoolean checked = new AtomicBoolean();
		while (!checked.get()) {
			transaction.executeWithoutResult((status) -> handOn(snapshot).ifPresent((lease) -> {
				lease.checkCommit();
				checked.set(true);
				lease.close();
			}));
		}
		assertThat(checked).isTrue();
	}

	/**
	 * Let a lock be handed on inside the instance, which happens only in time.
	 * @param former what the holder before does
	 * @return the lease of the next holder, whose request in the store is the same
	 */
	private Optional<Lease> handOn(Runnable former) {
		long before = stock.registry.statistics().handOffs(AcquiredFrom.THIS_INSTANCE);
		Lease first = stock.registry.acquire(this.request);
		CompletableFuture<Lease> second = stock.registry.acquireAsync(this.request).toCompletableFuture();
		CompletableFuture<Lease> third = stock.registry.acquireAsync(this.request).toCompletableFuture();
		first.close();
		Lease left = second.join();
		former.run();
		left.close();
		Lease next = third.join();
		if (stock.registry.statistics().handOffs(AcquiredFrom.THIS_INSTANCE) > before) {
			return Optional.of(next);
		}
		next.close();
		return Optional.empty();
	}

	@Test
	void savepointWhenRolledBackLeavesTheCommitChecked() {
		TransactionTemplate nested = stock.transaction();
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> stock.transaction().executeWithoutResult((outer) -> {
				stock.insert(this.key);
				nested.executeWithoutResult((inner) -> {
					stock.locks.executeWithoutResult(this.request, () -> {
					});
					inner.setRollbackOnly();
				});
				stock.takeAway(this.key);
			}));
		assertThat(stock.rows(this.key)).isZero();
	}

	/** Each savepoint begins under the lock. */
	@Test
	void savepointsAreCheckedByTheCommitOnly() {
		assertThat(checksOf((locks, manager) -> {
			TransactionTemplate nested = new TransactionTemplate(manager);
			nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
			locks.executeWithoutResult(this.request, () -> new TransactionTemplate(manager)
				.executeWithoutResult((outer) -> times(20, () -> nested.executeWithoutResult((inner) -> {
				}))));
		})).isOne();
	}

	@Test
	void locksOfOneTransactionAreCheckedInOneRoundTrip() {
		assertThat(checksOf((locks, manager) -> locks.executeWithoutResult(LockRequest.of("around" + this.key),
				() -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
					times(20, () -> locks.executeWithoutResult(this.request, () -> {
					}));
					locks.executeWithoutResult(LockRequest.of("next" + this.key), () -> {
					});
					locks.executeWithoutResult(LockRequest.ofAll("a" + this.key, "b" + this.key), () -> {
					});
				}))))
			.isOne();
	}

	private static void times(int times, Runnable action) {
		IntStream.range(0, times).forEach((i) -> action.run());
	}

	/** Count the statements that lock rows before a commit. */
	private static long checksOf(BiConsumer<LockTemplate, PlatformTransactionManager> run) {
		CountedStatements counted = new CountedStatements();
		DataSource source = counted.on(stock.dataSource);
		try (DefaultLockRegistry registry = GuardedStock.registry(PostgresLockStore.builder(SharedPostgres.pool())
			.checkCommits(new SpringTransactionConnection(source))
			.build())) {
			run.accept(new LockTemplate(registry), GuardedStock.checked(new DataSourceTransactionManager(source)));
		}
		return counted.take().stream().filter((sql) -> sql.contains("KEY SHARE")).count();
	}

	/** Locking a row would fail it, although it has no effect to protect. */
	@Test
	void transactionWhenReadOnlyBySqlIsNotChecked() {
		assertThatNoException().isThrownBy(() -> inside(() -> {
			stock.jdbc.execute("SET TRANSACTION READ ONLY");
			stock.rows(this.key);
		}));
	}

	/** A flush comes after the check. */
	@Test
	void transactionWhenReadOnlyBySqlStaysSoUntilItsEnd() {
		assertThatException().isThrownBy(() -> jpa(() -> {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void beforeCommit(boolean readOnly) {
					stock.jdbc.execute("SET TRANSACTION READ ONLY");
				}
			});
			this.insert.run();
		}));
		assertThat(stock.rows(this.key)).isZero();
	}

	@Test
	void tableWhenTheTransactionHasAnotherSearchPathIsFound() {
		stock.jdbc.execute("CREATE SCHEMA IF NOT EXISTS tenant");
		inside(() -> {
			this.insert.run();
			stock.jdbc.execute("SET LOCAL search_path = tenant");
		});
		assertThat(stock.rows(this.key)).isOne();
	}

	/** Hibernate writes after the check; the row of the lock is locked by then. */
	@Test
	void flushWhenAfterTheCheckIsStillUnderTheLock() {
		List<String> free = new ArrayList<>();
		JpaTransactionManager manager = stock.jpa();
		manager.setTransactionExecutionListeners(
				List.of(new LeaseTransactionListener(), new TransactionExecutionListener() {
					@Override
					public void beforeCommit(TransactionExecution transaction) {
						free.addAll(new JdbcTemplate(SharedPostgres.pool()).queryForList(
								"SELECT name FROM distributed_lock WHERE name = ? FOR UPDATE SKIP LOCKED", String.class,
								":" + CommitRefusalIntegrationTests.this.key));
						assertThat(stock.rows(CommitRefusalIntegrationTests.this.key)).as("before the commit").isZero();
					}
				}));
		inside(this.request, manager, this::persist);
		assertThat(free).isEmpty();
		assertThat(stock.rows(this.key)).isOne();
	}

	private void inside(Runnable body) {
		inside(this.request, body);
	}

	private void inside(LockRequest request, Runnable body) {
		inside(request, stock.manager, body);
	}

	private void inside(LockRequest request, PlatformTransactionManager manager, Runnable body) {
		stock.locks.executeWithoutResult(request,
				() -> new TransactionTemplate(manager).executeWithoutResult((status) -> body.run()));
	}

	private void around(Runnable body) {
		around(stock.manager, body);
	}

	private void around(PlatformTransactionManager manager, Runnable body) {
		new TransactionTemplate(manager)
			.executeWithoutResult((status) -> stock.locks.executeWithoutResult(this.request, body));
	}

	private LockRequest severalKeys() {
		return LockRequest.ofAll("a" + this.key, this.key, "0" + this.key).waitFor(Duration.ofSeconds(20));
	}

	private void enteredAgain(Runnable body) {
		stock.locks.executeWithoutResult(this.request, () -> inside(body));
	}

	private void handedOn(Runnable body) {
		Optional<Lease> handedOn = Optional.empty();
		while (handedOn.isEmpty()) {
			handedOn = handOn(() -> {
			});
		}
		try (Lease lease = handedOn.get()) {
			stock.transaction().executeWithoutResult((status) -> {
				body.run();
				lease.checkCommit();
			});
		}
	}

	private void future(Runnable body) {
		stock.locks
			.executeAsync(this.request,
					(lease) -> CompletableFuture
						.runAsync(Lease.wrap(() -> stock.transaction().executeWithoutResult((status) -> body.run()))))
			.join();
	}

	private void onAnotherThread(UnaryOperator<Runnable> decorator, Runnable body) {
		stock.locks.executeWithoutResult(this.request, () -> {
			Runnable transaction = () -> stock.transaction().executeWithoutResult((status) -> body.run());
			CompletableFuture.runAsync(decorator.apply(transaction)).join();
		});
	}

	private void isolated(int isolation, Runnable body) {
		stock.locks.executeWithoutResult(this.request,
				() -> stock.transaction(isolation).executeWithoutResult((status) -> body.run()));
	}

	private void requiresNew(Runnable body) {
		TransactionTemplate inner = stock.transaction();
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		stock.transaction()
			.executeWithoutResult((outer) -> stock.locks.executeWithoutResult(this.request,
					() -> inner.executeWithoutResult((status) -> body.run())));
	}

	private void nested(Runnable body) {
		TransactionTemplate inner = stock.transaction();
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		inside(() -> inner.executeWithoutResult((status) -> body.run()));
	}

	private static DataSourceTransactionManager unsynchronized() {
		DataSourceTransactionManager manager = GuardedStock.checked(new DataSourceTransactionManager(stock.dataSource));
		manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		return manager;
	}

	private void withoutSynchronization(Runnable body) {
		inside(this.request, unsynchronized(), body);
	}

	/** The lock is not kept until the commit. */
	private void withoutSynchronizationAround(Runnable body) {
		new TransactionTemplate(unsynchronized()).executeWithoutResult((status) -> {
			stock.locks.executeWithoutResult(this.request, () -> {
			});
			underTheNext(body);
		});
	}

	/** Run when another holder has the lock, which does not see what is written. */
	private void underTheNext(Runnable body) {
		try (Lease next = stock.operator.acquire(this.request.whenLost(WhenLost.IGNORE))) {
			body.run();
		}
	}

	private void ofTwoManagers(Runnable body) {
		new TransactionTemplate(new DataSourceTransactionManager(SharedPostgres.pool()))
			.executeWithoutResult((status) -> inside(body));
	}

	private void aware(Runnable body) {
		inside(this.request, GuardedStock
			.checked(new DataSourceTransactionManager(new TransactionAwareDataSourceProxy(stock.dataSource))), body);
	}

	/** The connection of the body is that of the proxy. */
	private void lazy(Runnable body) {
		LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy(stock.dataSource);
		this.insert = () -> new JdbcTemplate(lazy).update("INSERT INTO stock VALUES (?)", this.key);
		inside(this.request, GuardedStock.checked(new DataSourceTransactionManager(lazy)), body);
	}

	private void client(Runnable body) {
		JdbcClient client = JdbcClient.create(stock.dataSource);
		this.insert = () -> client.sql("INSERT INTO stock VALUES (?)").param(this.key).update();
		inside(body);
	}

	private void jpa(Runnable body) {
		this.insert = this::persist;
		inside(this.request, stock.jpa(), body);
	}

	private void persist() {
		EntityManagerFactoryUtils.getTransactionalEntityManager(stock.entities())
			.persist(new GuardedStock.Item(this.key));
	}

	/** A batch is sent by a callback before the commit. */
	private void myBatis(ExecutorType executor, Runnable body) {
		Configuration settings = new Configuration(
				new Environment("stock", new SpringManagedTransactionFactory(), stock.dataSource));
		settings.addMapper(StockMapper.class);
		StockMapper mapper = new SqlSessionTemplate(new SqlSessionFactoryBuilder().build(settings), executor)
			.getMapper(StockMapper.class);
		this.insert = () -> mapper.insert(this.key);
		inside(body);
	}

	/** As Spring Boot configures it. */
	private void jooq(Runnable body) {
		DSLContext context = DSL.using(new TransactionAwareDataSourceProxy(stock.dataSource), SQLDialect.POSTGRES);
		this.insert = () -> context.execute("INSERT INTO stock VALUES (?)", this.key);
		inside(body);
	}

	/** Without the provider that Spring Boot gives it, it is no transaction of Spring. */
	private void ofJooq(Runnable body) {
		stock.locks.executeWithoutResult(this.request,
				() -> DSL.using(stock.dataSource, SQLDialect.POSTGRES).transaction((transaction) -> {
					this.insert = () -> transaction.dsl().execute("INSERT INTO stock VALUES (?)", this.key);
					body.run();
				}));
	}

	private void lease(Runnable body) {
		try (Lease lease = stock.registry.acquire(this.request)) {
			stock.transaction().executeWithoutResult((status) -> {
				body.run();
				lease.checkCommit();
			});
		}
	}

	private void lockOfAThread(Runnable body) {
		LeaseLock lock = stock.registry.getLock(this.key);
		lock.lock();
		try {
			stock.transaction().executeWithoutResult((status) -> {
				body.run();
				lock.lease().checkCommit();
			});
		}
		finally {
			lock.unlock();
		}
	}

	private void withoutListener(Runnable body) {
		inside(this.request, new DataSourceTransactionManager(stock.dataSource), body);
	}

	/** Spring does not call what joins the transaction by then. */
	private void inCallback(Runnable body) {
		stock.transaction()
			.executeWithoutResult((status) -> TransactionSynchronizationManager
				.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						stock.locks.executeWithoutResult(CommitRefusalIntegrationTests.this.request, () -> {
						});
						body.run();
					}

				}));
	}

	private void closedEarly(Runnable body) {
		stock.transaction().executeWithoutResult((status) -> {
			stock.registry.acquire(this.request).close();
			underTheNext(body);
		});
	}

	private void mono(Consumer<Lease> last, Runnable body) {
		new ReactiveLockTemplate(stock.registry).<Boolean>execute(this.request, (lease) -> Mono.fromCallable(() -> {
			stock.transaction().executeWithoutResult((status) -> {
				body.run();
				last.accept(lease);
			});
			return true;
		}).subscribeOn(Schedulers.boundedElastic())).block();
	}

	/** An interface that MyBatis implements. */
	interface StockMapper {

		@Insert("INSERT INTO stock VALUES (#{id})")
		void insert(String id);

	}

	/** A transaction under a lock. */
	@FunctionalInterface
	interface Way {

		void run(CommitRefusalIntegrationTests test, Runnable body) throws Exception;

	}

}
