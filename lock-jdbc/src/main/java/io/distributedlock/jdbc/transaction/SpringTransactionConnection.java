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
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.DefaultTransactionStatus;
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

	/**
	 * Find the connection of the transaction that is open on the calling thread. If
	 * several are bound, it is that of the innermost transaction whose manager has a
	 * {@code LeaseTransactionListener}, else one that is not known to read only.
	 */
	@Override
	public @Nullable Connection current() {
		Object transaction = transaction();
		boolean reads = false;
		for (Map.Entry<Object, Object> bound : TransactionSynchronizationManager.getResourceMap().entrySet()) {
			if (bound.getKey() instanceof DataSource key && bound.getValue() instanceof ConnectionHolder holder
					&& belongs(holder, transaction)) {
				Connection connection = holder.getConnection();
				if (isReadOnly(connection)) {
					reads = true;
				}
				else if (!commitsByItself(connection) && (covers(key) || this.database.test(connection))) {
					return connection;
				}
			}
		}
		if (!reads) {
			warnOnce();
		}
		return null;
	}

	/** Return the object of the manager that a listener has made known, if any. */
	private static @Nullable Object transaction() {
		Object status = TransactionSynchronizationManager.getResource(TransactionExecution.class);
		return (status instanceof DefaultTransactionStatus known && known.hasTransaction()) ? known.getTransaction()
				: null;
	}

	/**
	 * Return whether a connection may be that of a transaction. A manager without
	 * connections of its own, such as that of JTA, leaves them to the thread. A holder
	 * has none after it was suspended.
	 */
	private static boolean belongs(ConnectionHolder holder, @Nullable Object transaction) {
		if (transaction instanceof JdbcTransactionObjectSupport known) {
			return known.hasConnectionHolder() && known.getConnectionHolder() == holder
					&& holder.getConnectionHandle() != null;
		}
		return holder.getConnectionHandle() != null;
	}

	private void warnOnce() {
		if (TransactionSynchronizationManager.isActualTransactionActive() && this.warned.compareAndSet(false, true)) {
			logger.warn("A transaction under a lock has no connection to the database that keeps the locks, so only "
					+ "the lease is checked before its commit, as for all such transactions: those of another "
					+ "DataSource or of JMS");
		}
	}

	/** Return whether it is set to read only; a lazy one knows without its target. */
	private static boolean isReadOnly(Connection connection) {
		try {
			return connection.isReadOnly();
		}
		catch (SQLException ex) {
			return false;
		}
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
