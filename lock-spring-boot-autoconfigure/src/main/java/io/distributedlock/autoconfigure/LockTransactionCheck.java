package io.distributedlock.autoconfigure;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import javax.sql.DataSource;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.DaemonThreadFactory;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Tells of connections of the application if they are to the database of the locks, where
 * the owner of a lock is checked before a commit. An address that differs from that of
 * the locks, as one behind a pooler, is compared once, by the server and the database
 * that it leads to.
 * <p>
 * At the start it asks the data sources that are there. If the user of the only or the
 * primary one may not lock the table, no transaction under a lock could commit, so it
 * refuses to start; of others it warns, as they may have nothing to do with locks. It
 * tells which ones are not checked. A data source that does not answer in time is
 * compared by its first transaction.
 */
final class LockTransactionCheck implements Predicate<Connection>, SmartInitializingSingleton {

	private static final LockLog logger = LockLog.of(LockTransactionCheck.class);

	private static final String LATER = "A DataSource is compared with that of the locks by its first transaction";

	private static final Duration LONGEST = Duration.ofSeconds(5);

	/**
	 * A fail-over may come between the two questions, and a pooler may lead to another
	 * server after it.
	 */
	private static final Duration ASK_AGAIN = Duration.ofSeconds(10);

	/**
	 * The running server, which every user may ask, and the database in it. As text a
	 * time depends on the time zone of the session.
	 */
	private static final String PLACE = "SELECT extract(epoch FROM pg_postmaster_start_time()) || ' ' || "
			+ "(SELECT oid FROM pg_database WHERE datname = current_database())";

	/** Classes of refusals: not known or forbidden, and not supported. */
	private static final List<String> UNKNOWN = List.of("42", "0A");

	private final PostgresLockConnections connections;

	private final ConfigurableListableBeanFactory beanFactory;

	/** The answers by address, so that a source that chooses a database gets its own. */
	private final Map<String, Answer> known = new ConcurrentHashMap<>();

	private final AtomicBoolean warned = new AtomicBoolean();

	private final LongSupplier nanoTime;

	LockTransactionCheck(PostgresLockConnections connections, ConfigurableListableBeanFactory beanFactory,
			LongSupplier nanoTime) {
		this.connections = connections;
		this.beanFactory = beanFactory;
		this.nanoTime = nanoTime;
		this.known.put(connections.url(), new Answer(true, 0));
	}

	@Override
	public boolean test(Connection connection) {
		try {
			String url = Objects.requireNonNullElse(connection.getMetaData().getURL(), "");
			Answer answer = this.known.get(url);
			return (answer != null) ? (answer.same() || isSameByNow(connection, url, answer)) : ask(connection, url);
		}
		catch (SQLException ex) {
			throw new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
					"It is not known whether a transaction is on the database of the locks: " + ex.getMessage(), ex);
		}
	}

	/**
	 * Ask again after a while, on one thread, and never refuse a commit on another
	 * database because that of the locks is away.
	 */
	private boolean isSameByNow(Connection connection, String url, Answer before) {
		long now = this.nanoTime.getAsLong();
		if (now - before.nanos() < ASK_AGAIN.toNanos() || !this.known.replace(url, before, new Answer(false, now))) {
			return false;
		}
		try {
			return ask(connection, url);
		}
		catch (SQLException ex) {
			logger.debug("A database counts as another one than that of the locks, as before", ex);
			return false;
		}
	}

	private boolean ask(Connection connection, String url) throws SQLException {
		boolean same = connection.getMetaData().getDatabaseProductName().equals("PostgreSQL") && isSame(connection);
		this.known.put(url, new Answer(same, this.nanoTime.getAsLong()));
		return same;
	}

	private boolean isSame(Connection connection) throws SQLException {
		String place = placeOfTransaction(connection);
		if (place == null) {
			return false;
		}
		try (Connection own = this.connections.connection()) {
			return place.equals(place(own));
		}
	}

	/**
	 * Return the place of a transaction, which goes on if the server refuses to tell.
	 * Transactions of JTA let statements make savepoints, but not the driver.
	 */
	private @Nullable String placeOfTransaction(Connection connection) throws SQLException {
		if (connection.getAutoCommit()) {
			return placeUnlessRefused(connection);
		}
		try (Statement statement = connection.createStatement()) {
			statement.execute("SAVEPOINT distributed_lock");
			try {
				return placeUnlessRefused(connection);
			}
			finally {
				if (!connection.isClosed()) {
					statement.execute("ROLLBACK TO distributed_lock; RELEASE distributed_lock");
				}
			}
		}
	}

	/** Return the place, or {@code null} if the server does not know the question. */
	private @Nullable String placeUnlessRefused(Connection connection) throws SQLException {
		try {
			return place(connection);
		}
		catch (SQLException ex) {
			String state = Objects.requireNonNullElse(ex.getSQLState(), "");
			if (UNKNOWN.stream().noneMatch(state::startsWith)) {
				throw ex;
			}
			if (this.warned.compareAndSet(false, true)) {
				logger.warn("A server does not tell which one it is, so it counts as another one than that of the "
						+ "locks: before its transactions commit only the lease is checked: " + ex.getMessage());
			}
			return null;
		}
	}

	private static String place(Connection connection) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(PLACE);
				ResultSet rows = statement.executeQuery()) {
			rows.next();
			return rows.getString(1);
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.connections.isSilent()) {
			return;
		}
		Map<String, CompletableFuture<@Nullable Boolean>> asked = new TreeMap<>();
		DaemonThreadFactory threads = new DaemonThreadFactory("distributed-lock-start-");
		for (String name : this.beanFactory.getBeanNamesForType(DataSource.class, false, false)) {
			if (this.beanFactory.getSingleton(name) instanceof DataSource dataSource) {
				asked.put(name, CompletableFuture.supplyAsync(() -> ask(name, dataSource),
						(task) -> threads.newThread(task).start()));
			}
		}
		report(asked);
	}

	private void report(Map<String, CompletableFuture<@Nullable Boolean>> asked) {
		List<String> others = new ArrayList<>();
		boolean checked = false;
		long end = System.nanoTime() + LONGEST.toNanos();
		for (Map.Entry<String, CompletableFuture<@Nullable Boolean>> each : asked.entrySet()) {
			Boolean same = answer(each.getValue(), end - System.nanoTime());
			checked |= Boolean.TRUE.equals(same);
			if (Boolean.FALSE.equals(same)) {
				others.add(each.getKey());
			}
		}
		if (!others.isEmpty()) {
			String text = ("Transactions of the DataSource beans %s are not on the database of the locks, %s: before they "
					+ "commit only the lease is checked. There a fencing token refuses a late writer")
				.formatted(others, this.connections);
			if (checked) {
				logger.info(text);
			}
			else {
				logger.warn(text);
			}
		}
	}

	/** Return the answer, or {@code null} if there is none in time. */
	private static @Nullable Boolean answer(CompletableFuture<@Nullable Boolean> asked, long nanos) {
		try {
			return asked.orTimeout(Math.max(0, nanos), TimeUnit.NANOSECONDS).join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof LockStoreException refusal
					&& refusal.getKind() == LockStoreException.Kind.MISCONFIGURED) {
				throw refusal;
			}
			logger.debug(LATER, ex);
			return null;
		}
	}

	private @Nullable Boolean ask(String name, DataSource dataSource) {
		try (Connection connection = dataSource.getConnection()) {
			if (!test(connection)) {
				return false;
			}
		}
		catch (SQLException ex) {
			logger.debug(LATER, ex);
			return null;
		}
		try {
			this.connections.schema().checkCommits(this.connections.commands(), dataSource);
		}
		catch (LockStoreException ex) {
			if (ex.getKind() != LockStoreException.Kind.MISCONFIGURED || isMain(name)) {
				throw ex;
			}
			logger.warn("A transaction of the DataSource bean '%s' under a lock cannot commit: %s".formatted(name,
					ex.getMessage()));
		}
		return true;
	}

	private boolean isMain(String name) {
		return this.beanFactory.getBeanNamesForType(DataSource.class, false, false).length == 1
				|| (this.beanFactory.containsBeanDefinition(name)
						&& this.beanFactory.getMergedBeanDefinition(name).isPrimary());
	}

	/**
	 * An answer for an address.
	 *
	 * @param same {@code true} if it leads to the database of the locks
	 * @param nanos the time of the answer, which counts for another database only
	 */
	private record Answer(boolean same, long nanos) {
	}

}
