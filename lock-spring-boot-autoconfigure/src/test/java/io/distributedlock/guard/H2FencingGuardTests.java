package io.distributedlock.guard;

import org.junit.jupiter.api.Nested;

import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Isolation;

/** The SQL guard on H2. */
class H2FencingGuardTests {

	private static final DriverManagerDataSource DATA_SOURCE = new DriverManagerDataSource(
			"jdbc:h2:mem:guard;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");

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
