package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The connection of the application's transaction on the database of the locks, where the
 * owner of a lock is checked before the commit. Thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TransactionConnection {

	/**
	 * Find the connection of the transaction that is open on the calling thread.
	 * @return the connection, which the caller does not close; {@code null} if no
	 * transaction of that database is open
	 */
	@Nullable Connection current();

	/**
	 * Translate a failure of the check for the application, which may repeat a
	 * transaction that cannot be serialized.
	 * @param task the words for the check, for the message
	 * @param failure the failure
	 * @return by default a {@link LockStoreException} of kind {@code UNAVAILABLE}
	 */
	default RuntimeException translate(String task, SQLException failure) {
		return new LockStoreException(Kind.UNAVAILABLE, "Cannot %s: %s".formatted(task, failure.getMessage()), failure);
	}

}
