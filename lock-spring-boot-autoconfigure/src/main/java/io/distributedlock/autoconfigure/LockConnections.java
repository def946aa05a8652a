package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.Properties;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import org.jspecify.annotations.Nullable;

/**
 * The connections of the locks to PostgreSQL. They are no beans, since Spring Boot would
 * then not make the application's own pool. Opens nothing before the first use.
 */
final class LockConnections implements AutoCloseable {

	/** Connections that stay open without work: a renewal never waits for a login. */
	private static final int IDLE = 2;

	private static final int MOST = 100;

	/** The shortest time-out of HikariCP. */
	private static final Duration SHORTEST_WAIT = Duration.ofMillis(250);

	/** Firewalls forget silent connections. */
	private static final Duration KEEP_ALIVE = Duration.ofMinutes(2);

	private final HikariDataSource commands;

	private final @Nullable HikariDataSource listening;

	private LockConnections(HikariDataSource commands, @Nullable HikariDataSource listening) {
		this.commands = commands;
		this.listening = listening;
	}

	/**
	 * Create the connections.
	 * @param database the database with the table of the locks
	 * @param settings the size of the pool, the time-out and the address for wake-ups
	 * @throws InvalidLockPropertyException if the size cannot work, or no driver takes an
	 * address
	 */
	static LockConnections of(LockDatabase database, DistributedLockProperties.Postgresql settings) {
		int size = settings.poolSize();
		if (size < IDLE || size > MOST) {
			throw new InvalidLockPropertyException(LockDatabase.PREFIX + "pool-size", size,
					"cannot work: it must be between %d and %d".formatted(IDLE, MOST), "Correct it", null);
		}
		HikariDataSource commands = pool("distributed-lock", database, settings, IDLE, size);
		if (settings.wakeUp() == DistributedLockProperties.WakeUp.POLL) {
			return new LockConnections(commands, null);
		}
		try {
			LockDatabase server = database.at(settings.listenUrl());
			return new LockConnections(commands, pool("distributed-lock-wake-ups", server, settings, 0, 1));
		}
		catch (RuntimeException ex) {
			commands.close();
			throw ex;
		}
	}

	private static HikariDataSource pool(String name, LockDatabase database,
			DistributedLockProperties.Postgresql settings, int idle, int most) {
		HikariConfig config = new HikariConfig();
		config.setPoolName(name);
		config.setJdbcUrl(database.url());
		config.setUsername(database.username());
		config.setPassword(database.password());
		config.setMinimumIdle(idle);
		config.setMaximumPoolSize(most);
		config.setInitializationFailTimeout(-1);
		config.setKeepaliveTime(KEEP_ALIVE.toMillis());
		Duration wait = settings.commandTimeout();
		config.setConnectionTimeout(Math.max(SHORTEST_WAIT.toMillis(), wait.toMillis()));
		config.setDataSourceProperties(driverProperties(database, wait));
		try {
			if (database.driver() != null) {
				config.setDriverClassName(database.driver());
			}
			return new HikariDataSource(config);
		}
		catch (RuntimeException ex) {
			throw LockStoreTypes.missing(PostgresLockStoreConfiguration.NAME,
					new LockStoreType.Missing("no driver on the class path takes the address " + database,
							"Correct the address, or add its driver: org.postgresql:postgresql takes "
									+ "jdbc:postgresql://host:port/database"));
		}
	}

	/** Return what the driver of PostgreSQL is told unless the address says otherwise. */
	private static Properties driverProperties(LockDatabase database, Duration commandTimeout) {
		Properties properties = new Properties();
		if (database.url().startsWith("jdbc:postgresql:")) {
			properties.setProperty("ApplicationName", "distributed-lock");
			properties.setProperty("tcpKeepAlive", "true");
		}
		return properties;
	}

	/** The pool for the commands of the store. */
	DataSource commands() {
		return this.commands;
	}

	/** The one connection that listens for wake-ups, or {@code null} to poll. */
	@Nullable DataSource listening() {
		return this.listening;
	}

	@Override
	public void close() {
		if (this.listening != null) {
			this.listening.close();
		}
		this.commands.close();
	}

}
