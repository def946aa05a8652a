package io.distributedlock.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Logins of a pool, each of which goes on after a failure until the server is there
 * again. HikariCP itself pauses for twice as long after each failure, up to 5 s, which
 * cannot be set: a server that was away for 5 s would seem to be away for 5 s more. The
 * first failure is passed on, as the reason that the pool tells. Thread-safe.
 */
public final class PatientLogin implements AutoCloseable {

	private static final long PAUSE_MILLIS = 200;

	/** Long, so that a pool sees few failures in an outage, and pauses only shortly. */
	private static final Duration LONGEST = Duration.ofSeconds(60);

	private volatile boolean failed;

	/** Guarded by this. */
	private boolean closed;

	/**
	 * Log in. Blocks for up to a minute while the server is away.
	 * @param login the attempt, which is repeated
	 * @return the connection
	 * @throws SQLException if it is the first failure, or waiting is of no use
	 */
	public Connection connect(Login login) throws SQLException {
		long start = System.nanoTime();
		while (true) {
			try {
				Connection connection = login.connect();
				this.failed = false;
				return connection;
			}
			catch (SQLException ex) {
				boolean first = !this.failed;
				this.failed = SqlFailures.isUselessConnection(ex);
				if (first || !this.failed || System.nanoTime() - start > LONGEST.toNanos() || !pause()) {
					throw ex;
				}
			}
		}
	}

	/** Return {@code false} if there is no use in waiting any more. */
	private synchronized boolean pause() {
		try {
			if (!this.closed) {
				wait(PAUSE_MILLIS);
			}
			return !this.closed;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** Wait no more. A pool that closes waits for its logins. */
	@Override
	public synchronized void close() {
		this.closed = true;
		notifyAll();
	}

	/** Attempts to log in. */
	@FunctionalInterface
	public interface Login {

		/**
		 * Log in.
		 * @return a new connection
		 * @throws SQLException if the server does not take it
		 */
		Connection connect() throws SQLException;

	}

}
