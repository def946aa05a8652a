package io.distributedlock.jdbc;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.embedded.PostgresServer;

/**
 * A server with the table of the locks, and a pool as stores use it, for all tests that
 * do not torture them. They end with the JVM.
 */
public final class SharedPostgres {

	public static final PostgresServer SERVER = PostgresServer.start();

	private static final HikariDataSource POOL = pool(4);

	static {
		PostgresSchema.of(PostgresSchema.DEFAULT_TABLE).create(POOL);
	}

	private SharedPostgres() {
	}

	/** Return the pool of stores. */
	public static DataSource pool() {
		return POOL;
	}

	/** Return a pool of its own, for tests that close or exhaust it. */
	public static HikariDataSource pool(int size) {
		HikariConfig pool = new HikariConfig();
		pool.setDataSource(SERVER.dataSource());
		pool.setMaximumPoolSize(size);
		return new HikariDataSource(pool);
	}

}
