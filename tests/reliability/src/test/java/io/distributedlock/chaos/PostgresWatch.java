package io.distributedlock.chaos;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import javax.sql.DataSource;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.Event;
import io.distributedlock.history.NemesisKind;
import io.distributedlock.history.PastFault;
import org.jspecify.annotations.Nullable;

/**
 * Notices when PostgreSQL stands still, also without a fault of the run: asks it again
 * and again, past the proxies. Thread-safe.
 */
final class PostgresWatch implements ServerWatch.Judge, AutoCloseable {

	private static final long PAUSE_NANOS = 50_000_000;

	private final DataSource dataSource;

	private final List<PastFault> faults = new ArrayList<>();

	private final Pulse pulse;

	/** Used by the thread of the pulse, and closed after its end. */
	private @Nullable Connection connection;

	private volatile boolean closed;

	/** Begin to ask a server, which answers now. */
	PostgresWatch(DataSource dataSource) throws IOException {
		this.dataSource = dataSource;
		this.pulse = new Pulse(this::answer, this::stoodStill).start();
	}

	/** Wait for an answer, and return its time. */
	private long answer() {
		while (!isAnswered() && !this.closed) {
			LockSupport.parkNanos(PAUSE_NANOS);
		}
		return System.nanoTime();
	}

	private boolean isAnswered() {
		try {
			if (this.connection == null) {
				this.connection = this.dataSource.getConnection();
			}
			if (this.connection.isValid(0)) {
				return true;
			}
			this.connection.close();
		}
		catch (SQLException ex) {
			// It is down, or ends its connections.
		}
		this.connection = null;
		return false;
	}

	private synchronized void stoodStill(long begin, long end) {
		this.faults.add(new PastFault(NemesisKind.OUTAGE, Event.ALL, Event.ALL, "server-stood-still", begin, end));
	}

	@Override
	public void answered(RedisServer server, long sent, boolean isMaster) {
		throw new UnsupportedOperationException("There is no Redis");
	}

	@Override
	public synchronized List<PastFault> faults() {
		return List.copyOf(this.faults);
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			this.pulse.close();
			if (this.connection != null) {
				this.connection.close();
			}
		}
		catch (IOException | SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
