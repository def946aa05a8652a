package io.distributedlock.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;

import javax.sql.DataSource;

import io.distributedlock.state.WakeUp;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The connection on which the messages to one registry arrive. Its thread begins when a
 * caller waits for the first time, and then stays: it connects again when the connection
 * breaks. A silent connection is asked now and then, since it may be half open. It ends
 * if a pooler is there, which delivers no messages: then waiters poll.
 * <p>
 * After each {@code LISTEN} waiters attempt once: no message is missed between that
 * attempt and the next break. Thread-safe.
 */
final class WakeUpConnection implements Runnable {

	private static final LockLog logger = LockLog.of(WakeUpConnection.class);

	/** Without a message for this time, the server has to answer. */
	private static final int SILENCE_MILLIS = 2_000;

	private static final long FIRST_PAUSE_MILLIS = 50;

	private static final long LONGEST_PAUSE_MILLIS = 2_000;

	private final DataSource dataSource;

	private final int timeoutMillis;

	private final WakeUpListener listener;

	private final Function<String, ? extends CompletableFuture<?>> send;

	private final Runnable changed;

	/** Set once it was said that messages go elsewhere. Used by the thread only. */
	private boolean warned;

	/** Guarded by this. */
	private String channel;

	/** Guarded by this. */
	private boolean begun;

	/** Guarded by this. */
	private boolean closed;

	/** The connection while it listens or is about to. Guarded by this. */
	private @Nullable Connection connection;

	private volatile boolean listening;

	/**
	 * Create a connection that is not open yet.
	 * @param dataSource the source of direct connections
	 * @param timeout the longest wait for an answer of the server
	 * @param channel the channel
	 * @param listener the registry
	 * @param send sends a message to a channel, as the changes of locks do
	 * @param changed called when it begins or ends to listen
	 */
	WakeUpConnection(DataSource dataSource, Duration timeout, String channel, WakeUpListener listener,
			Function<String, ? extends CompletableFuture<?>> send, Runnable changed) {
		this.dataSource = dataSource;
		this.timeoutMillis = (int) timeout.toMillis();
		this.channel = channel;
		this.listener = listener;
		this.send = send;
		this.changed = changed;
	}

	/** Return {@code true} if messages arrive, as far as is known. */
	boolean isListening() {
		return this.listening;
	}

	/** Begin to listen, unless it has begun. Does not block. */
	synchronized void begin(ThreadFactory threads) {
		if (!this.begun && !this.closed) {
			threads.newThread(this).start();
			this.begun = true;
		}
	}

	/** Listen to another channel from now on. */
	synchronized void listenTo(String channel) {
		if (!this.channel.equals(channel)) {
			this.channel = channel;
			abort();
		}
	}

	synchronized void close() {
		this.closed = true;
		abort();
		notifyAll();
	}

	/** End the wait of the thread. Does not block. */
	private void abort() {
		if (this.connection != null) {
			try {
				this.connection.abort(Runnable::run);
			}
			catch (SQLException ex) {
				logger.debug("A connection for wake-ups was not ended", ex);
			}
		}
	}

	@Override
	public void run() {
		long pause = FIRST_PAUSE_MILLIS;
		while (!isClosed()) {
			try {
				listen();
			}
			catch (Throwable ex) {
				if (!isClosed()) {
					logger.debug("Wake-ups do not arrive, so waiters poll", ex);
				}
			}
			pause = this.listening ? FIRST_PAUSE_MILLIS : Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
			try {
				lost();
			}
			catch (Throwable ex) {
				logger.warn("A registry was not told that wake-ups do not arrive", ex);
			}
			pause(pause);
		}
	}

	private synchronized boolean isClosed() {
		return this.closed;
	}

	private void lost() {
		if (this.listening) {
			this.listening = false;
			this.changed.run();
			this.listener.wakeUpsLost();
		}
	}

	private synchronized void pause(long millis) {
		try {
			if (!this.closed) {
				wait(millis);
			}
		}
		catch (InterruptedException ex) {
			this.closed = true;
			Thread.currentThread().interrupt();
		}
	}

	private void listen() throws SQLException {
		try (Connection opened = this.dataSource.getConnection()) {
			opened.setNetworkTimeout(Runnable::run, this.timeoutMillis);
			opened.setAutoCommit(true);
			if (JdbcLane.isPooled(opened)) {
				giveUp();
				return;
			}
			PGConnection messages = opened.unwrap(PGConnection.class);
			try (Statement statement = opened.createStatement()) {
				String name = keep(opened);
				statement.execute("LISTEN \"" + name + '"');
				CompletableFuture<?> sent = this.send.apply(name);
				PGNotification[] own = messages.getNotifications(this.timeoutMillis);
				if (own == null || own.length == 0) {
					notReached(sent);
					return;
				}
				this.warned = false;
				this.listening = true;
				this.changed.run();
				this.listener.wakeUpAll();
				receive(messages, statement);
			}
			finally {
				keep(null);
				// A pool would lend it with its channel.
				opened.abort(Runnable::run);
			}
		}
	}

	/** A session of the server that a pooler lends to others would listen for ever. */
	private synchronized void giveUp() {
		this.closed = true;
		logger
			.warn("There is a pooler before PostgreSQL, which may keep wake-ups back, so waiters poll from now on. Set the address "
					+ "of the server itself for wake-ups (postgresql.listen-url), or let waiters poll (postgresql.wake-up)");
	}

	/**
	 * Messages are those of a database, not of a server. One that could not be sent, as
	 * after a restart of the server, says nothing about that.
	 */
	private void notReached(CompletableFuture<?> sent) {
		boolean isSent = sent.isDone() && !sent.isCompletedExceptionally();
		if (isSent && !this.warned && !isClosed()) {
			this.warned = true;
			logger.warn("A message to the connection for wake-ups did not arrive, so waiters poll until one does. The "
					+ "address of that connection (postgresql.listen-url) has to lead to the database of the locks");
		}
	}

	private synchronized String keep(@Nullable Connection opened) {
		this.connection = opened;
		if (opened != null && this.closed) {
			abort();
		}
		return this.channel;
	}

	/** Receive messages until the connection breaks. */
	private void receive(PGConnection messages, Statement statement) throws SQLException {
		while (!isClosed()) {
			PGNotification[] received = messages.getNotifications(SILENCE_MILLIS);
			if (received == null || received.length == 0) {
				statement.execute("SELECT 1");
				continue;
			}
			for (PGNotification message : received) {
				tell(message.getParameter());
			}
		}
	}

	private void tell(String message) {
		if (message.isEmpty()) {
			return;
		}
		try {
			WakeUp.ofEncoded(message).tell(this.listener);
		}
		catch (IllegalArgumentException ex) {
			this.listener.wakeUpAll();
		}
		catch (RuntimeException ex) {
			logger.warn("A wake-up failed", ex);
		}
	}

}
