package io.distributedlock.autoconfigure;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;

import javax.sql.DataSource;

import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.jdbc.internal.PatientLogin;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.util.ClassUtils;

/**
 * Connections of a driver, each a new one. HikariCP's own source of them would set the
 * time-out for logins of the whole process, so that the application had to log in within
 * the command time-out of the locks.
 */
final class DriverConnections implements DataSource {

	/** Limit for logins, since a server may accept connections and then say nothing. */
	private static final int LOGIN_SECONDS = 5;

	private final Driver driver;

	private final String url;

	private final Properties properties;

	private final @Nullable PatientLogin patience;

	private DriverConnections(Driver driver, String url, Properties properties, @Nullable PatientLogin patience) {
		this.driver = driver;
		this.url = url;
		this.properties = properties;
		this.patience = patience;
	}

	/**
	 * Create a source of connections. Opens none.
	 * @param database the address and the login
	 * @param name the name of the connections at the server
	 * @param patience for the logins of a pool, or {@code null}
	 * @throws InvalidLockPropertyException if no driver takes the address
	 */
	static DriverConnections of(LockDatabase database, String name, @Nullable PatientLogin patience) {
		Properties properties = new Properties();
		put(properties, "user", database.username());
		put(properties, "password", database.password());
		if (database.url().startsWith("jdbc:postgresql:")) {
			// Defaults: what the address says counts before them.
			put(properties, "ApplicationName", name);
			put(properties, "tcpKeepAlive", "true");
			put(properties, "loginTimeout", Integer.toString(LOGIN_SECONDS));
		}
		return new DriverConnections(driver(database), database.url(), properties, patience);
	}

	private static void put(Properties properties, String name, @Nullable String value) {
		if (value != null) {
			properties.setProperty(name, value);
		}
	}

	private static Driver driver(LockDatabase database) {
		try {
			String name = database.driver();
			return (name != null) ? (Driver) BeanUtils.instantiateClass(ClassUtils.forName(name, null))
					: DriverManager.getDriver(database.url());
		}
		catch (SQLException | ClassNotFoundException | RuntimeException ex) {
			throw LockStoreTypes.missing(PostgresLockStoreConfiguration.NAME,
					new LockStoreType.Missing("no driver on the class path takes the address " + database,
							"Correct it, or add its driver: org.postgresql:postgresql takes "
									+ "jdbc:postgresql://host:port/database"));
		}
	}

	@Override
	public Connection getConnection() throws SQLException {
		return (this.patience != null) ? this.patience.connect(this::connect) : connect();
	}

	private Connection connect() throws SQLException {
		Connection connection = this.driver.connect(this.url, this.properties);
		if (connection == null) {
			throw new SQLException("The driver " + this.driver.getClass().getName() + " does not take the address");
		}
		return connection;
	}

	@Override
	public Connection getConnection(String username, String password) throws SQLException {
		throw new SQLFeatureNotSupportedException("The login is fixed");
	}

	@Override
	public @Nullable PrintWriter getLogWriter() {
		return null;
	}

	@Override
	public void setLogWriter(@Nullable PrintWriter out) {
	}

	/** Do nothing: pools set it, and it would count for the whole process. */
	@Override
	public void setLoginTimeout(int seconds) {
	}

	/** Return the longest login, which a pool that closes waits for. */
	@Override
	public int getLoginTimeout() {
		return LOGIN_SECONDS;
	}

	@Override
	public Logger getParentLogger() throws SQLFeatureNotSupportedException {
		throw new SQLFeatureNotSupportedException();
	}

	@Override
	public <T> T unwrap(Class<T> type) throws SQLException {
		throw new SQLException("No " + type.getName());
	}

	@Override
	public boolean isWrapperFor(Class<?> type) {
		return false;
	}

}
