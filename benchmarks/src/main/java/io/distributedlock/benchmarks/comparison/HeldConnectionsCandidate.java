package io.distributedlock.benchmarks.comparison;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;

import io.distributedlock.benchmarks.protocol.RawPairs.Pair;

/**
 * Raw statements. Each calling thread keeps a connection, so that none waits for one.
 */
final class HeldConnectionsCandidate implements Candidate {

	private final Queue<Connection> connections = new ConcurrentLinkedQueue<>();

	private final ThreadLocal<Pair> pairs;

	private HeldConnectionsCandidate(String url, Statements statements) {
		this.pairs = ThreadLocal.withInitial(() -> connect(url, statements));
	}

	/** Create the floor: commits do not wait for the disk. */
	static HeldConnectionsCandidate table(Place place) {
		return new HeldConnectionsCandidate(place.database() + "&options=-c%20synchronous_commit=off", SqlPairs::table);
	}

	static HeldConnectionsCandidate advisory(Place place) {
		return new HeldConnectionsCandidate(place.database(), SqlPairs::advisory);
	}

	private Pair connect(String url, Statements statements) {
		try {
			Connection connection = DriverManager.getConnection(url);
			this.connections.add(connection);
			return statements.on(connection);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Lock lock(String key) {
		return new CallerLock() {

			@Override
			public void lock() {
				requireTaken(HeldConnectionsCandidate.this.pairs.get().acquire(key), key);
			}

			@Override
			public void unlock() {
				HeldConnectionsCandidate.this.pairs.get().release(key);
			}

		};
	}

	@Override
	public void close() {
		for (Connection connection : this.connections) {
			try {
				connection.close();
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

	/** Prepares the statements of a connection. */
	private interface Statements {

		Pair on(Connection connection) throws SQLException;

	}

}
