package io.distributedlock.guard;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The SQL guard on H2. */
class H2FencingGuardTests {

	private static final DriverManagerDataSource DATA_SOURCE = new DriverManagerDataSource(
			"jdbc:h2:mem:guard;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");

	@Test
	void checkWhenThereIsNoTableNamesTheStatementThatMakesIt() {
		SqlFencingGuard guard = new SqlFencingGuard(DATA_SOURCE, "missing_fence");
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(DATA_SOURCE));
		assertThatExceptionOfType(BadSqlGrammarException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> guard.check("stock", 1)))
			.withMessageContaining("'stock'")
			.withMessageContaining("CREATE TABLE missing_fence (resource VARCHAR(255) PRIMARY KEY")
			.withMessageContaining("docs/fencing.md");
	}

	@Nested
	class ReadCommittedTests extends SqlFencingGuardContractTests {

		ReadCommittedTests() {
			super(DATA_SOURCE, Isolation.READ_COMMITTED);
		}

	}

	@Nested
	class RepeatableReadTests extends SqlFencingGuardContractTests {

		RepeatableReadTests() {
			super(DATA_SOURCE, Isolation.REPEATABLE_READ);
		}

	}

}
