package io.distributedlock.guard;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class SqlFencingGuardTests extends FencingGuardContractTests {

	private static final String FENCE_TABLE = "CREATE TABLE %s (resource VARCHAR(255) PRIMARY KEY, fence BIGINT NOT NULL)";

	private final DriverManagerDataSource dataSource = new DriverManagerDataSource(
			"jdbc:h2:mem:guard;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");

	private final JdbcClient jdbc = JdbcClient.create(this.dataSource);

	private final TransactionTemplate transaction = new TransactionTemplate(
			new JdbcTransactionManager(this.dataSource));

	private final SqlFencingGuard guard = new SqlFencingGuard(this.dataSource);

	@BeforeEach
	void createTables() {
		this.jdbc.sql(FENCE_TABLE.formatted(SqlFencingGuard.DEFAULT_TABLE)).update();
		this.jdbc.sql("CREATE TABLE guarded (resource VARCHAR(255) PRIMARY KEY, amount BIGINT)").update();
	}

	@AfterEach
	void dropTables() {
		this.jdbc.sql("DROP ALL OBJECTS").update();
	}

	@Override
	void write(String resource, long token, long value) {
		this.transaction.executeWithoutResult((status) -> {
			this.guard.check(resource, token);
			put(resource, value);
		});
	}

	private void put(String resource, long value) {
		this.jdbc.sql("MERGE INTO guarded VALUES (?, ?)").param(resource).param(value).update();
	}

	@Override
	@Nullable Long read(String resource) {
		return this.jdbc.sql("SELECT amount FROM guarded WHERE resource = ?")
			.param(resource)
			.query(Long.class)
			.optional()
			.orElse(null);
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

	@Test
	void checkWhenThereIsNoTransactionIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.guard.check("stock", 7))
			.withMessageContaining("@Transactional");
	}

	@Test
	void tableWhenNamedIsUsed() {
		this.jdbc.sql("CREATE SCHEMA locks").update();
		this.jdbc.sql(FENCE_TABLE.formatted("locks.fence")).update();
		SqlFencingGuard other = new SqlFencingGuard(this.dataSource, "locks.fence");
		this.transaction.executeWithoutResult((status) -> other.check("stock", 7));
		assertThat(this.jdbc.sql("SELECT fence FROM locks.fence").query(Long.class).single()).isEqualTo(7);
	}

	@Test
	void tableWhenItIsNoPlainNameIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new SqlFencingGuard(this.dataSource, "fence; DROP"));
	}

}
