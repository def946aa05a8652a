package io.distributedlock.jdbc;

import io.distributedlock.embedded.PostgresServer;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A server that tests break and repair, with a user who has no more rights than needed.
 * It keeps asynchronous commits in its memory for as long as it can, so that a crash
 * forgets many. It ends with the JVM.
 */
final class FaultyPostgres {

	/** The user of the application and of its locks. */
	static final String USER = "counting";

	static final int MAX_CONNECTIONS = 40;

	static final PostgresServer SERVER = prepared(
			PostgresServer.start("max_connections=" + MAX_CONNECTIONS, "wal_writer_delay=10s"));

	private FaultyPostgres() {
	}

	/** Give a server the user and the table of the locks. */
	static PostgresServer prepared(PostgresServer server) {
		JdbcTemplate administrator = administrator(server);
		administrator.execute("CREATE ROLE " + USER + " LOGIN; GRANT ALL ON SCHEMA public TO " + USER);
		PostgresSchema.of(PostgresSchema.DEFAULT_TABLE).create(source(server, USER));
		return server;
	}

	/** Commands of a superuser, each on a connection of its own. */
	static JdbcTemplate administrator(PostgresServer server) {
		return new JdbcTemplate(server.dataSource());
	}

	static PGSimpleDataSource source(PostgresServer server, String applicationName) {
		PGSimpleDataSource source = server.dataSource();
		source.setUser(USER);
		source.setApplicationName(applicationName);
		return source;
	}

	/** Addresses without anything between. */
	static CountingInstances.Addresses direct(PostgresServer server) {
		return new CountingInstances.Addresses(server.url(), source(server, CountingInstances.LISTENING), server.url());
	}

}
