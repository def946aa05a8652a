package io.distributedlock.chaos;

import java.time.Duration;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.jdbc.PostgresLockStore;
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

	private final HikariDataSource commands;

	private final PGSimpleDataSource listening = new PGSimpleDataSource();

	private PostgresConnections(String url) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.addDataSourceProperty("user", "postgres");
		config.addDataSourceProperty("ApplicationName", NAME);
		config.addDataSourceProperty("tcpKeepAlive", "true");
		config.addDataSourceProperty("loginTimeout", Integer.toString(LOGIN_SECONDS));
		config.setMinimumIdle(IDLE);
		config.setMaximumPoolSize(MOST);
		config.setInitializationFailTimeout(-1);
		config.setKeepaliveTime(Duration.ofMinutes(2).toMillis());
		config.setConnectionTimeout(ChaosSettings.COMMAND_TIMEOUT.toMillis());
		this.commands = new HikariDataSource(config);
		this.listening.setUrl(url);
		this.listening.setUser("postgres");
		this.listening.setApplicationName(LISTENING);
		this.listening.setTcpKeepAlive(true);
		this.listening.setLoginTimeout(LOGIN_SECONDS);
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
		this.commands.close();
	}

}
