package io.distributedlock.jdbc.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.CallerThread;
import io.distributedlock.store.DaemonThreadFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Runs commands on a few threads, since JDBC blocks, or on that of a caller who waits for
 * the command anyway. An interrupt does not reach a thread that reads from a socket, so a
 * caller reads for a short time only. If the server takes longer, the threads of the lane
 * take over, and callers stay away until one of them has an answer soon enough. The pool
 * may let a caller wait for a connection for the time-out of a command, so one who has
 * less time leaves its command to the threads. Thread-safe.
 */
public final class JdbcLane implements AutoCloseable {

	/** A connection breaks when the answer takes longer than a caller waits for it. */
	private static final long LEAST_CALLER_NANOS = Duration.ofMillis(10).toNanos();

	private static final long LONGEST_CALLER_NANOS = Duration.ofMillis(100).toNanos();

	/**
	 * Ends statements on connections that were given up. While such a statement waits for
	 * a lock on the table, its process does not notice that the connection is closed.
	 */
	private static final String CANCEL = "SELECT pg_cancel_backend(pid)";

	private static final String STILL_WAITING = " FROM pg_stat_activity WHERE pid = ANY (?) "
			+ "AND usename = current_user AND state = 'active' AND wait_event_type = 'Lock'";

	/** Pools wait for a connection as long as a command may take, or this time. */
	private static final Duration LEAST_POOL_WAIT = Duration.ofMillis(250);

	private static final Duration IDLE = Duration.ofSeconds(30);

	private static final Duration LAST_WORDS = Duration.ofSeconds(1);

	private final DataSource dataSource;

	private final long timeoutNanos;

	private final long poolNanos;

	private final int connections;

	private final ThreadPoolExecutor threads;

	/** Fair, or callers would overtake the threads for ever. */
	private final Semaphore free;

	/** The right of a thread to block. */
	private final ThreadLocal<@Nullable Turn> turn = new ThreadLocal<>();

	/** Set while threads of the lane have answers that callers can wait for. */
	private volatile boolean answers;

	private volatile long answeredAt = System.nanoTime();

	/** Processes of the server with a statement whose answer has not come in time. */
	private final Set<Integer> late = ConcurrentHashMap.newKeySet();

	private volatile String place = "";

	/** The reason why the last command that wanted a connection got none, or empty. */
	private volatile String disconnected = "";

	/** The number of commands that wait for a connection. */
	private final AtomicInteger connecting = new AtomicInteger();

	/**
	 * Set if a statement may run on another connection to the server than the one before,
	 * which has not prepared it, or has another one of the same name.
	 */
	private volatile boolean pooled;

	private volatile boolean closed;

	/**
	 * Create a lane.
	 * @param dataSource the source of connections
	 * @param timeout the time-out of a statement
	 * @param connections the number of connections that the source has at a time
	 */
	public JdbcLane(DataSource dataSource, Duration timeout, int connections) {
		this.dataSource = dataSource;
		this.timeoutNanos = timeout.toNanos();
		this.poolNanos = Math.max(this.timeoutNanos, LEAST_POOL_WAIT.toNanos());
		this.connections = connections;
		this.threads = new DaemonThreadFactory("distributed-lock-postgres-").pool(connections, IDLE);
		this.free = new Semaphore(connections, true);
	}

	/**
	 * Run a command, whose {@link #call calls} may block while it runs.
	 * @param command the command
	 * @throws LockStoreException if the lane is closed
	 */
	public void run(Runnable command) {
		long budget = CallerThread.take();
		long nanos = Math.min(budget, LONGEST_CALLER_NANOS);
		long start = System.nanoTime();
		if (budget < this.poolNanos || !this.answers || !enter(nanos)) {
			inBackground(command);
			return;
		}
		runIn(new Turn(true, start + nanos), command);
	}

	private boolean enter(long nanos) {
		try {
			return this.free.tryAcquire(nanos / 2, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private void runIn(Turn own, Runnable command) {
		Turn outer = this.turn.get();
		this.turn.set(own);
		try {
			command.run();
		}
		finally {
			if (outer != null) {
				this.turn.set(outer);
			}
			else {
				this.turn.remove();
			}
			this.free.release();
		}
	}

	private void inBackground(Runnable command) {
		try {
			this.threads.execute(() -> {
				this.free.acquireUninterruptibly();
				runIn(new Turn(false, 0), command);
			});
		}
		catch (RejectedExecutionException ex) {
			throw new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "The lock store is closed", ex);
		}
	}

	/**
	 * Run statements on a connection: at once if this thread may block.
	 * @param <T> the type of the result
	 * @param work the statements; they may be repeated
	 * @return the result, or a {@link LockStoreException}
	 */
	public <T> CompletableFuture<T> call(Work<T> work) {
		Turn own = this.turn.get();
		if (own == null) {
			return later(work);
		}
		long nanos = own.ofCaller ? own.end - System.nanoTime() : this.timeoutNanos;
		if (nanos <= 0) {
			return later(work);
		}
		try {
			long start = System.nanoTime();
			T result = execute(work, nanos, own.ofCaller ? LEAST_CALLER_NANOS : 0);
			if (!own.ofCaller) {
				this.answers = System.nanoTime() - start < LONGEST_CALLER_NANOS / 2;
			}
			return CompletableFuture.completedFuture(result);
		}
		catch (SQLException ex) {
			if (own.ofCaller && SqlFailures.isBlocked(ex)) {
				return later(work);
			}
			if (own.ofCaller && !SqlFailures.isAnswer(ex)) {
				this.answers = false;
				return later(work);
			}
			this.answers = SqlFailures.isAnswer(ex);
			return CompletableFuture.failedFuture(SqlFailures.translate(ex));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
					"The driver or the pool of connections to PostgreSQL failed: " + ex, ex));
		}
	}

	/**
	 * Run statements on a thread of the lane.
	 * @param <T> the type of the result
	 * @param work the statements; they may be repeated
	 * @return the result, or a {@link LockStoreException}
	 */
	public <T> CompletableFuture<T> later(Work<T> work) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		try {
			inBackground(() -> call(work).whenComplete((result, failure) -> {
				if (failure != null) {
					answer.completeExceptionally(failure);
				}
				else {
					answer.complete(result);
				}
			}));
		}
		catch (LockStoreException ex) {
			answer.completeExceptionally(ex);
		}
		return answer;
	}

	/**
	 * Run statements. A pool that was idle may have only connections that the server has
	 * closed meanwhile.
	 * @param nanos the time for an answer
	 * @param leastNanos how much of it the pool has to leave
	 */
	private <T> T execute(Work<T> work, long nanos, long leastNanos) throws SQLException {
		long end = System.nanoTime() + nanos;
		for (int useless = 0;; useless++) {
			try (Connection connection = connect()) {
				long left = end - System.nanoTime();
				if (left <= leastNanos) {
					throw new SQLTimeoutException("The pool of the locks had no connection in time");
				}
				return execute(work, connection, (int) Math.max(1, left / 1_000_000));
			}
			catch (SQLException ex) {
				if (this.closed || useless == this.connections || end - System.nanoTime() <= 0
						|| !SqlFailures.isUselessConnection(ex)) {
					throw ex;
				}
			}
		}
	}

	private Connection connect() throws SQLException {
		this.connecting.incrementAndGet();
		try {
			Connection connection = this.dataSource.getConnection();
			if (!this.disconnected.isEmpty()) {
				this.disconnected = "";
			}
			return connection;
		}
		catch (SQLException ex) {
			this.disconnected = SqlFailures.reason(ex);
			throw SqlFailures.notConnected(ex);
		}
		finally {
			this.connecting.decrementAndGet();
		}
	}

	private <T> T execute(Work<T> work, Connection connection, int millis) throws SQLException {
		int process = 0;
		try {
			connection.setNetworkTimeout(Runnable::run, millis);
			if (!connection.getAutoCommit()) {
				connection.setAutoCommit(true);
			}
			if (this.pooled && connection.isWrapperFor(PGConnection.class)) {
				connection.unwrap(PGConnection.class).setPrepareThreshold(0);
			}
			process = process(connection);
			cancelLate(connection);
			T result = work.on(connection);
			answered(connection);
			return result;
		}
		catch (SQLException ex) {
			if (process > 0 && SqlFailures.isLate(ex)) {
				this.late.add(process);
			}
			this.pooled |= SqlFailures.isOfPooler(ex);
			if (SqlFailures.isUselessConnection(ex)) {
				// The pool must not keep it.
				connection.abort(Runnable::run);
			}
			throw ex;
		}
	}

	/** Return the process of the server, or zero if that is not known. */
	private int process(Connection connection) throws SQLException {
		boolean known = !this.pooled && connection.isWrapperFor(PGConnection.class);
		return known ? connection.unwrap(PGConnection.class).getBackendPID() : 0;
	}

	private void cancelLate(Connection connection) throws SQLException {
		if (this.late.isEmpty()) {
			return;
		}
		List<Integer> processes = List.copyOf(this.late);
		try {
			areWaiting(connection, CANCEL, processes);
		}
		catch (SQLException ex) {
			if (!SqlFailures.isAnswer(ex)) {
				throw ex;
			}
			if (areWaiting(connection, "SELECT", processes)) {
				// Each command would leave one more.
				throw new SQLTimeoutException("Statements of the locks still wait for others in the server, "
						+ "which refuses to cancel them: " + ex.getMessage(), ex);
			}
		}
		this.late.removeAll(processes);
	}

	private static boolean areWaiting(Connection connection, String select, List<Integer> processes)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(select + STILL_WAITING)) {
			statement.setArray(1, connection.createArrayOf("integer", processes.toArray()));
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next();
			}
		}
	}

	private void answered(Connection connection) throws SQLException {
		this.answeredAt = System.nanoTime();
		if (this.place.isEmpty()) {
			this.pooled |= isPooled(connection);
			// Without parameters, which may have a password.
			String url = connection.getMetaData().getURL();
			this.place = "PostgreSQL at " + url.replaceAll("^jdbc:postgresql:(//)?|\\?.*$", "");
		}
	}

	/** Return whether a pooler stands before the server, which gives its own number. */
	static boolean isPooled(Connection connection) throws SQLException {
		if (!connection.isWrapperFor(PGConnection.class)) {
			return false;
		}
		try (Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT pg_backend_pid()")) {
			rows.next();
			return rows.getInt(1) != connection.unwrap(PGConnection.class).getBackendPID();
		}
	}

	/**
	 * The place of the database.
	 * @return host, port and database, with the reason if commands get no connection to
	 * it; or empty before the first answer
	 */
	public String place() {
		String why = this.disconnected;
		if (this.place.isEmpty() || (why.isEmpty() && this.connecting.get() == 0)) {
			return this.place;
		}
		return this.place + (why.isEmpty() ? ", to which the pool of the locks has no free connection"
				: ", to which the pool of the locks got no connection (" + why + ')');
	}

	/**
	 * The time since the last answer of the server.
	 * @return the time, counted from the creation of this lane before the first one
	 */
	public Duration sinceLastAnswer() {
		return Duration.ofNanos(System.nanoTime() - this.answeredAt);
	}

	/** End the threads, once they have sent what they have. */
	@Override
	public void close() {
		this.closed = true;
		this.threads.shutdown();
	}

	/** Wait a moment for the end of the threads, before their connections are closed. */
	public void awaitEnd() {
		try {
			this.threads.awaitTermination(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Statements.
	 *
	 * @param <T> the type of their result
	 */
	@FunctionalInterface
	public interface Work<T> {

		/**
		 * Run the statements.
		 * @param connection a connection, which commits by itself
		 * @return the result
		 * @throws SQLException if one fails
		 */
		T on(Connection connection) throws SQLException;

	}

	/**
	 * The right to block a thread.
	 *
	 * @param ofCaller {@code true} if it is the thread of a caller
	 * @param end when a caller wants it back, in nanoseconds
	 */
	private record Turn(boolean ofCaller, long end) {
	}

}
