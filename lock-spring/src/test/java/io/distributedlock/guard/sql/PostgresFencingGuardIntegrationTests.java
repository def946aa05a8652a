package io.distributedlock.guard.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.embedded.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import org.springframework.transaction.annotation.Isolation;

/** The SQL guard on PostgreSQL, where a failed statement ends the transaction. */
class PostgresFencingGuardIntegrationTests {

	private static PostgresServer server;

	private static HikariDataSource dataSource;

	@BeforeAll
	static void start() {
		server = PostgresServer.start();
		HikariConfig pool = new HikariConfig();
		pool.setDataSource(server.dataSource());
		dataSource = new HikariDataSource(pool);
	}

	@AfterAll
	static void stop() {
		dataSource.close();
		server.close();
	}

	@Nested
	class ReadCommittedTests extends SqlFencingGuardContractTests {

		ReadCommittedTests() {
			super(dataSource, Isolation.READ_COMMITTED);
		}

	}

	@Nested
	class RepeatableReadTests extends SqlFencingGuardContractTests {

		RepeatableReadTests() {
			super(dataSource, Isolation.REPEATABLE_READ);
		}

	}

	@Nested
	class SerializableTests extends SqlFencingGuardContractTests {

		SerializableTests() {
			super(dataSource, Isolation.SERIALIZABLE);
		}

	}

}
