package io.distributedlock.chaos;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.jdbc.PostgresLockStore;
import io.distributedlock.jdbc.internal.PatientLogin;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Connections of a worker to PostgreSQL, as the configuration of Spring Boot makes them.
 */
final class PostgresConnections implements AutoCloseable {

	/** The names of the connections at the server: for commands and for wake-ups. */
	static final String NAME = "distributed-lock";

	static final String LISTENING = "distributed-lock-wake-ups";

	private static final int IDLE = 2;

	private static final int MOST = 4;

	private static final int LOGIN_SECONDS = 5;

	private final PatientLogin patience = new PatientLogin();

	private final HikariDataSource commands;

	private final PGSimpleDataSource listening = new PGSimpleDataSource();

	private PostgresConnections(String url) {
		HikariConfig config = new HikariConfig();
		config.setDataSource(new ConnectionsOfAPool(this.patience));
		set((PGSimpleDataSource) config.getDataSource(), url, NAME);
		config.setMinimumIdle(IDLE);
		config.setMaximumPoolSize(MOST);
		config.setInitializationFailTimeout(-1);
		config.setKeepaliveTime(Duration.ofMinutes(2).toMillis());
		config.setConnectionTimeout(ChaosSettings.COMMAND_TIMEOUT.toMillis());
		config.setValidationTimeout(ChaosSettings.COMMAND_TIMEOUT.toMillis());
		this.commands = new HikariDataSource(config);
		set(this.listening, url, LISTENING);
	}

	private static void set(PGSimpleDataSource dataSource, String url, String name) {
		dataSource.setUrl(url + "?loginTimeout=" + LOGIN_SECONDS);
		dataSource.setUser("postgres");
		dataSource.setApplicationName(name);
		dataSource.setTcpKeepAlive(true);
	}

	static PostgresConnections open(Route route) {
		return new PostgresConnections(
				"jdbc:postgresql://127.0.0.1:%d/postgres".formatted(route.detour(route.entries().get(0))));
	}

	PostgresLockStore store(boolean durable) {
		return PostgresLockStore.builder(this.commands)
			.connections(MOST)
			.listenDataSource(this.listening)
			.retention(ChaosRun.RETENTION)
			.commandTimeout(ChaosSettings.COMMAND_TIMEOUT)
			.durable(durable)
			.build();
	}

	@Override
	public void close() {
		this.patience.close();
		this.commands.close();
	}

	/** The pool does not set their time-out for logins. */
	private static final class ConnectionsOfAPool extends PGSimpleDataSource {

		private final transient PatientLogin patience;

		private ConnectionsOfAPool(PatientLogin patience) {
			this.patience = patience;
		}

		@Override
		public Connection getConnection() throws SQLException {
			return this.patience.connect(super::getConnection);
		}

		@Override
		public void setLoginTimeout(int seconds) {
		}

	}

}
