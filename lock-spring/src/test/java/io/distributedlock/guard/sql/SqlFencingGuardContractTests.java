package io.distributedlock.guard.sql;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import io.distributedlock.guard.FencingGuardContractTests;
import io.distributedlock.guard.StaleTokenException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The contract of the guard on every database and under every isolation. */
abstract class SqlFencingGuardContractTests extends FencingGuardContractTests {

	private static final String FENCE_TABLE = "CREATE TABLE %s (resource VARCHAR(255) %s PRIMARY KEY, fence BIGINT NOT NULL)";

	private final DataSource dataSource;

	private final JdbcClient jdbc;

	private final TransactionTemplate transaction;

	private final SqlFencingGuard guard;

	private final String collation;

	SqlFencingGuardContractTests(DataSource dataSource, Isolation isolation) {
		this(dataSource, isolation, "");
	}

	SqlFencingGuardContractTests(DataSource dataSource, Isolation isolation, String collation) {
		this.dataSource = dataSource;
		this.collation = collation;
		this.jdbc = JdbcClient.create(dataSource);
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		this.transaction.setIsolationLevel(isolation.value());
		this.transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.guard = new SqlFencingGuard(dataSource);
	}

	@BeforeEach
	void createTables() {
		this.jdbc.sql(FENCE_TABLE.formatted(SqlFencingGuard.DEFAULT_TABLE, this.collation)).update();
		this.jdbc.sql("CREATE TABLE guarded (resource VARCHAR(255) PRIMARY KEY, amount BIGINT)").update();
	}

	@AfterEach
	void dropTables() {
		this.jdbc.sql("DROP TABLE guarded").update();
		this.jdbc.sql("DROP TABLE " + SqlFencingGuard.DEFAULT_TABLE).update();
	}

	/** A dead-lock or a serialization failure says "try again", and never "late". */
	@Override
	protected void write(String resource, long token, long value) {
		retried(() -> writeOnce(resource, token, value));
	}

	private static void retried(Runnable transaction) {
		while (true) {
			try {
				transaction.run();
				return;
			}
			catch (ConcurrencyFailureException ex) {
				// Once more, in a new transaction.
			}
		}
	}

	private void writeOnce(String resource, long token, long value) {
		this.transaction.executeWithoutResult((status) -> {
			this.guard.check(resource, token);
			put(resource, value);
		});
	}

	private void put(String resource, long value) {
		this.jdbc.sql("DELETE FROM guarded WHERE resource = ?").param(resource).update();
		this.jdbc.sql("INSERT INTO guarded VALUES (?, ?)").param(resource).param(value).update();
	}

	@Override
	protected @Nullable Long read(String resource) {
		return number("SELECT amount FROM guarded WHERE resource = ?", resource);
	}

	private @Nullable Long fence(String resource) {
		return number("SELECT fence FROM distributed_lock_fence WHERE resource = ?", resource);
	}

	private @Nullable Long number(String query, String resource) {
		return this.jdbc.sql(query).param(resource).query(Long.class).optional().orElse(null);
	}

	@Test
	void transactionWhenRolledBackTakesTheRaiseBack() {
		write("stock", 5, 1);
		this.transaction.executeWithoutResult((status) -> {
			this.guard.check("stock", 9);
			status.setRollbackOnly();
		});
		write("stock", 6, 2);
		assertThat(read("stock")).isEqualTo(2);
	}

	@Test
	void transactionWhenRolledBackTakesTheFirstRaiseBack() {
		this.transaction.executeWithoutResult((status) -> {
			this.guard.check("stock", 9);
			status.setRollbackOnly();
		});
		write("stock", 6, 2);
		assertThat(read("stock")).isEqualTo(2);
	}

	@Test
	void transactionWhenItHasCheckedIsNotOvertaken() {
		CompletableFuture<Void> late = new CompletableFuture<>();
		this.transaction.executeWithoutResult((status) -> {
			this.guard.check("stock", 7);
			late.completeAsync(() -> {
				write("stock", 8, 2);
				return null;
			});
			put("stock", 1);
			assertThat(late).isNotDone();
		});
		late.join();
		assertThat(read("stock")).isEqualTo(2);
	}

	@Test
	void transactionWhenWriterIsStaleKeepsWhatItDidBeforeIfItWants() {
		write("stock", 7, 1);
		this.transaction.executeWithoutResult((status) -> {
			put("other", 3);
			assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.guard.check("stock", 6));
		});
		assertThat(read("other")).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void snapshotWhenOlderThanANewerWriterNeverLetsTheLateOneWrite(boolean known) {
		if (known) {
			write("stock", 7, 1);
		}
		this.transaction.executeWithoutResult((late) -> {
			read("stock");
			write("stock", 9, 2);
			assertThatException().isThrownBy(() -> this.guard.check("stock", 7))
				.isInstanceOfAny(StaleTokenException.class, ConcurrencyFailureException.class);
			late.setRollbackOnly();
		});
		assertThat(read("stock")).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void snapshotWhenOlderThanAnOlderWriterDoesNotMakeTheNewestLate(boolean known) {
		if (known) {
			write("stock", 6, 1);
		}
		AtomicBoolean first = new AtomicBoolean(true);
		retried(() -> this.transaction.executeWithoutResult((newest) -> {
			read("stock");
			if (first.getAndSet(false)) {
				this.transaction.executeWithoutResult((older) -> this.guard.check("stock", 7));
			}
			this.guard.check("stock", 8);
			put("stock", 3);
		}));
		assertThat(read("stock")).isEqualTo(3);
	}

	@Test
	void tokenWhenEqualPassesAgainInTheSameTransactionAndInTheNext() {
		this.transaction.executeWithoutResult((status) -> {
			this.guard.check("stock", 7);
			this.guard.check("stock", 7);
			put("stock", 1);
			this.guard.check("stock", 7);
		});
		writeOnce("stock", 7, 2);
		assertThat(read("stock")).isEqualTo(2);
		assertThat(fence("stock")).isEqualTo(7);
	}

	@Test
	void resourcesWhenOnlyTheirCaseDiffersAreTwo() {
		write("stock:A", 9, 1);
		write("stock:a", 5, 2);
		assertThat(fence("stock:A")).isEqualTo(9);
		assertThat(fence("stock:a")).isEqualTo(5);
	}

	@Test
	void transactionWhenOfAnotherDataSourceIsRefused() {
		DataSource other = new DriverManagerDataSource("jdbc:h2:mem:other");
		new TransactionTemplate(new JdbcTransactionManager(other)).executeWithoutResult(
				(status) -> assertThatIllegalStateException().isThrownBy(() -> this.guard.check("stock", 7))
					.withMessageContaining("of another DataSource"));
		assertThat(fence("stock")).isNull();
	}

	@Test
	void checkWhenThereIsNoTransactionIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.guard.check("stock", 7))
			.withMessageContaining("@Transactional");
	}

	@Test
	void tableWhenNamedIsUsed() {
		this.jdbc.sql("CREATE SCHEMA locks").update();
		this.jdbc.sql(FENCE_TABLE.formatted("locks.fence", this.collation)).update();
		SqlFencingGuard other = new SqlFencingGuard(this.dataSource, "locks.fence");
		this.transaction.executeWithoutResult((status) -> other.check("stock", 7));
		assertThat(this.jdbc.sql("SELECT fence FROM locks.fence").query(Long.class).single()).isEqualTo(7);
		this.jdbc.sql("DROP TABLE locks.fence").update();
		this.jdbc.sql("DROP SCHEMA locks").update();
	}

	@Test
	void tableWhenItIsNoPlainNameIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new SqlFencingGuard(this.dataSource, "fence; DROP"));
	}

}
