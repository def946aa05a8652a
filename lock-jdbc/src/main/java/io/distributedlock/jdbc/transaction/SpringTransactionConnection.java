package io.distributedlock.jdbc.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import javax.sql.DataSource;

import io.distributedlock.jdbc.TransactionConnection;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The connection that a transaction manager of Spring has bound to the thread for a
 * {@link DataSource} of the application, as those of JDBC, JPA and Hibernate do.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class SpringTransactionConnection implements TransactionConnection {

	private static final LockLog logger = LockLog.of(SpringTransactionConnection.class);

	private final @Nullable DataSource dataSource;

	private final Predicate<Connection> database;

	private final SQLStateSQLExceptionTranslator translator = new SQLStateSQLExceptionTranslator();

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Create the connection of a data source.
	 * @param dataSource a source of connections to the database of the locks, from which
	 * the transactions of the application have theirs, or a wrapper around it
	 */
	public SpringTransactionConnection(DataSource dataSource) {
		this.dataSource = target(dataSource);
		this.database = (connection) -> false;
	}

	/**
	 * Create the connections of any data source to the database of the locks.
	 * @param database returns {@code true} for a connection to that database. It is asked
	 * before each commit, in the transaction: at most the first answer for a database may
	 * take a command
	 */
	public SpringTransactionConnection(Predicate<Connection> database) {
		this.dataSource = null;
		this.database = database;
	}

	/**
	 * Return whether transactions of a data source are checked: if it is that of this
	 * object, or if one is a wrapper around the other.
	 * @param other the other data source
	 * @return {@code false} also for a source that chooses between several
	 */
	public boolean covers(DataSource other) {
		return target(other) == this.dataSource;
	}

	@Override
	public @Nullable Connection current() {
		for (Map.Entry<Object, Object> bound : TransactionSynchronizationManager.getResourceMap().entrySet()) {
			if (bound.getKey() instanceof DataSource key && bound.getValue() instanceof ConnectionHolder holder
					&& !commitsByItself(holder.getConnection())
					&& (covers(key) || this.database.test(holder.getConnection()))) {
				return holder.getConnection();
			}
		}
		if (TransactionSynchronizationManager.isActualTransactionActive() && this.warned.compareAndSet(false, true)) {
			logger.warn("A transaction under a lock has no connection to the database that keeps the locks, so only "
					+ "the lease is checked before its commit, as for all such transactions: those of another "
					+ "DataSource or of JMS");
		}
		return null;
	}

	/**
	 * Return whether a connection is not that of the transaction, as a second one from
	 * the source behind a wrapper. The check reports a connection that has failed.
	 */
	private static boolean commitsByItself(Connection connection) {
		try {
			return connection.getAutoCommit();
		}
		catch (SQLException ex) {
			return false;
		}
	}

	@Override
	public RuntimeException translate(String task, SQLException failure) {
		DataAccessException translated = this.translator.translate(task, null, failure);
		return (translated != null) ? translated : TransactionConnection.super.translate(task, failure);
	}

	private static DataSource target(DataSource dataSource) {
		DataSource target = dataSource;
		while (target instanceof DelegatingDataSource wrapper && wrapper.getTargetDataSource() != null) {
			target = wrapper.getTargetDataSource();
		}
		return target;
	}

}
