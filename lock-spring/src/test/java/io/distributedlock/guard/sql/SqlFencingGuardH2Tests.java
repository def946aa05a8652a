package io.distributedlock.guard.sql;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The SQL guard on H2. */
class SqlFencingGuardH2Tests {

	private static final DriverManagerDataSource DATA_SOURCE = new DriverManagerDataSource(
			"jdbc:h2:mem:guard;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");

	/** The holder of one lock was refused, because that of another had a newer token. */
	@ParameterizedTest
	@CsvSource({ "stock:A,9,stock:a,5", "stock:a,5,stock:A,9" })
	void columnWhenItIgnoresCaseIsRefusedWithTheRemedy(String first, long firstToken, String second, long secondToken) {
		JdbcClient jdbc = JdbcClient.create(DATA_SOURCE);
		jdbc.sql("CREATE TABLE folding_fence (resource VARCHAR_IGNORECASE(255) PRIMARY KEY, fence BIGINT NOT NULL)")
			.update();
		jdbc.sql("INSERT INTO folding_fence VALUES (?, ?)").param(first).param(firstToken).update();
		try {
			SqlFencingGuard guard = new SqlFencingGuard(DATA_SOURCE, "folding_fence");
			TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(DATA_SOURCE));
			assertThatIllegalStateException()
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> guard.check(second, secondToken)))
				.withMessageContaining("for '" + first + "'")
				.withMessageContaining("binary collation, see docs/fencing.md");
			assertThat(jdbc.sql("SELECT fence FROM folding_fence").query(Long.class).single()).isEqualTo(firstToken);
		}
		finally {
			jdbc.sql("DROP TABLE folding_fence").update();
		}
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
