package io.distributedlock.benchmarks.comparison;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.jdbc.PostgresSchema;

/**
 * A PostgreSQL with the tables of all candidates. Its settings are the defaults, but for
 * the memory and the number of connections.
 *
 * @param server the server
 */
record Database(PostgresServer server) implements AutoCloseable {

	/**
	 * The table of this library with its settings, and those that the pages of others
	 * show.
	 */
	private static final String TABLES = PostgresSchema.of(PostgresSchema.DEFAULT_TABLE).ddl() + """
			CREATE TABLE raw_lock (
				name text COLLATE "C" PRIMARY KEY,
				owner text NOT NULL,
				token bigint NOT NULL,
				expires timestamptz NOT NULL
			) WITH (fillfactor = 50);
			CREATE TABLE shedlock (
				name VARCHAR(64) NOT NULL,
				lock_until TIMESTAMP NOT NULL,
				locked_at TIMESTAMP NOT NULL,
				locked_by VARCHAR(255) NOT NULL,
				PRIMARY KEY (name)
			);
			CREATE TABLE int_lock (
				lock_key CHAR(36) NOT NULL,
				region VARCHAR(100) NOT NULL,
				client_id CHAR(36),
				created_date TIMESTAMP NOT NULL,
				expired_after TIMESTAMP NOT NULL,
				CONSTRAINT int_lock_pk PRIMARY KEY (lock_key, region)
			);
			CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL) WITH (fillfactor = 50);
			INSERT INTO account VALUES (1, 0);
			""";

	/** Start a server. */
	static Database start() throws SQLException {
		PostgresServer server = PostgresServer.start("shared_buffers=128MB", "max_connections=300");
		try (Connection connection = server.dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute(TABLES);
			return new Database(server);
		}
	}

	String url() {
		return this.server.url() + "?user=postgres";
	}

	/** Return the version of the server. */
	String version() throws SQLException {
		try (Connection connection = this.server.dataSource().getConnection()) {
			return "PostgreSQL " + connection.getMetaData().getDatabaseProductVersion();
		}
	}

	/** Create a pool as Spring Boot does without any property. */
	static HikariDataSource pool(Place place) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(place.database());
		return new HikariDataSource(config);
	}

	@Override
	public void close() {
		this.server.close();
	}

}
