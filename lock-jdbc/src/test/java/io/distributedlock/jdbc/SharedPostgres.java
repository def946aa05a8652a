package io.distributedlock.jdbc;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.embedded.PostgresServer;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A server with the table of the locks, and a pool as stores use it, for all tests that
 * do not torture them. They end with the JVM.
 */
public final class SharedPostgres {

	public static final PostgresServer SERVER = PostgresServer.start();

	/** A user that may do no more than the documents say. */
	public static final String HOLDER = "holder";

	private static final HikariDataSource POOL = pool(4);

	private static final HikariDataSource HOLDERS;

	static {
		PostgresSchema.of(PostgresSchema.DEFAULT_TABLE).create(POOL);
		new JdbcTemplate(POOL).execute("CREATE ROLE " + HOLDER + " LOGIN");
		HOLDERS = pool(4, HOLDER);
	}

	private SharedPostgres() {
	}

	/** Return the pool of stores. */
	public static DataSource pool() {
		return POOL;
	}

	/** Create a table of locks, and return a pool of the user that may use it. */
	public static DataSource holders(String table) {
		PostgresSchema.of(table).create(POOL);
		new JdbcTemplate(POOL).execute("GRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " TO " + HOLDER);
		return HOLDERS;
	}

	/** Return a pool of its own, for tests that close or exhaust it. */
	public static HikariDataSource pool(int size) {
		return pool(size, "postgres");
	}

	private static HikariDataSource pool(int size, String user) {
		HikariConfig pool = new HikariConfig();
		PGSimpleDataSource source = SERVER.dataSource();
		source.setUser(user);
		pool.setDataSource(source);
		pool.setMaximumPoolSize(size);
		return new HikariDataSource(pool);
	}

}
