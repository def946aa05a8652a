package io.distributedlock.guard.sql;

import java.sql.Connection;
import java.sql.Savepoint;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import io.distributedlock.guard.FencedArguments;
import io.distributedlock.guard.StaleTokenException;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.Assert;

/**
 * A guard for rows in a relational database. It uses a table of its own, which has a row
 * for each resource:
 *
 * <pre class="code">
 * CREATE TABLE distributed_lock_fence (
 *     resource VARCHAR(255) PRIMARY KEY,
 *     fence BIGINT NOT NULL
 * )
 * </pre>
 *
 * The column {@code resource} must compare exactly. It needs a binary collation where the
 * database's own one takes {@code a} for {@code A}, as that of MySQL, MariaDB and SQL
 * Server does. The first check of a guard tests that. {@link #check} raises the row's
 * fence in the caller's transaction, before the guarded data is written. The row stays
 * locked until that transaction ends, so no other writer comes in between, and a rollback
 * undoes the raise. If the guarded rows can have a column of their own for the fence,
 * that is cheaper and needs no guard:
 * {@code UPDATE … SET …, fence = :token WHERE id = :id AND fence <= :token}, refused if
 * no row was updated.
 * <p>
 * Thread-safe. Needs spring-jdbc, a database with savepoints, and a transaction manager
 * that shares its connection with JDBC on the same {@link DataSource}, as those for JDBC
 * and JPA do.
 *
 * @since 0.1.0
 */
public final class SqlFencingGuard {

	/** The table that is used if none is named. */
	public static final String DEFAULT_TABLE = "distributed_lock_fence";

	private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*");

	private final JdbcClient client;

	private final JdbcTemplate template;

	private final String table;

	private volatile boolean exact;

	/**
	 * Create a guard on the {@linkplain #DEFAULT_TABLE default table}.
	 * @param dataSource the database of the table and of the guarded data
	 */
	public SqlFencingGuard(DataSource dataSource) {
		this(dataSource, DEFAULT_TABLE);
	}

	/**
	 * Create a guard.
	 * @param dataSource the database of the table and of the guarded data
	 * @param table the name of the table, maybe with a schema
	 */
	public SqlFencingGuard(DataSource dataSource, String table) {
		Assert.isTrue(NAME.matcher(table).matches(), () -> "'%s' is not the plain name of a table".formatted(table));
		this.template = new JdbcTemplate(dataSource);
		this.client = JdbcClient.create(this.template);
		this.table = table;
	}

	/**
	 * Let this transaction write, unless a writer with a newer token was here before.
	 * Waits for another transaction that has raised the same fence. If the transaction
	 * fails, the fence stays as it was.
	 * @param resource the resource that is going to be written, up to 255 characters
	 * @param token the fencing token of the writer; an equal token is accepted
	 * @throws StaleTokenException if the writer is late; let the transaction roll back
	 * @throws ConcurrencyFailureException if the database cannot decide, after a
	 * dead-lock or under an older snapshot; nothing was written, try again in a new
	 * transaction
	 * @throws IllegalStateException if there is no transaction of this data source: a
	 * writer could be overtaken between the check and its write. Also if the column does
	 * not distinguish upper and lower case
	 */
	public void check(String resource, long token) {
		FencedArguments.check(resource, token);
		requireTransaction(resource);
		boolean raised = raise(resource, token) || insert(resource, token) || raise(resource, token);
		requireExact(resource, raised);
		if (!raised && !isAt(resource, token)) {
			throw refusal(resource, token);
		}
	}

	/**
	 * Looks for the row by its name with upper and lower case swapped. Only an inexact
	 * column finds it: there, the fence of one resource would refuse the rightful writer
	 * of another. If an older snapshot hides the row, the test proves nothing and is
	 * repeated.
	 */
	private void requireExact(String resource, boolean visible) {
		String other = swapCase(resource);
		if (this.exact || other.equals(resource)) {
			return;
		}
		String sql = "SELECT resource FROM %s WHERE resource = ?".formatted(this.table);
		for (String row : this.client.sql(sql).param(other).query(String.class).list()) {
			Assert.state(other.equals(row),
					() -> "The table %s takes '%s' for '%s', so one writer would be refused because of another: give its column 'resource' a binary collation, see docs/fencing.md"
						.formatted(this.table, other, row));
		}
		this.exact = visible;
	}

	private static String swapCase(String text) {
		return text.chars()
			.map((c) -> Character.isUpperCase(c) ? Character.toLowerCase(c) : Character.toUpperCase(c))
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.toString();
	}

	/** With auto-commit, other writers could come in between the statements. */
	private void requireTransaction(String resource) {
		String problem = null;
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			problem = "annotate the method with @Transactional";
		}
		else if (Boolean.TRUE.equals(this.template.execute(Connection::getAutoCommit))) {
			problem = "the open one is of another DataSource than the guard's, name the right transaction manager in @Transactional";
		}
		if (problem != null) {
			throw new IllegalStateException("The fence of '%s' can only be checked in the transaction that writes: %s"
				.formatted(resource, problem));
		}
	}

	private boolean raise(String resource, long token) {
		return this.client.sql("UPDATE %s SET fence = ? WHERE resource = ? AND fence <= ?".formatted(this.table))
			.param(token)
			.param(resource)
			.param(token)
			.update() > 0;
	}

	/**
	 * Insert the fence, unless it is there. Some databases abort the whole transaction at
	 * a failed statement, hence the savepoint.
	 */
	private boolean insert(String resource, long token) {
		return Boolean.TRUE.equals(this.template.execute((Connection connection) -> {
			Savepoint before = connection.setSavepoint();
			try {
				return this.client.sql("INSERT INTO %s (resource, fence) VALUES (?, ?)".formatted(this.table))
					.param(1, resource)
					.param(2, token)
					.update() > 0;
			}
			catch (DuplicateKeyException ex) {
				connection.rollback(before);
				return false;
			}
		}));
	}

	/**
	 * Return whether the fence is this token already. The fence is moved away and back:
	 * MySQL counts no update that changes nothing if {@code useAffectedRows} is set, and
	 * a query would read the snapshot of the transaction.
	 */
	private boolean isAt(String resource, long token) {
		return move(resource, token, token - 1) && move(resource, token - 1, token);
	}

	private boolean move(String resource, long from, long to) {
		return this.client.sql("UPDATE %s SET fence = ? WHERE resource = ? AND fence = ?".formatted(this.table))
			.param(to)
			.param(resource)
			.param(from)
			.update() > 0;
	}

	/** The exception for a refused token. A row hidden by a snapshot proves nothing. */
	private RuntimeException refusal(String resource, long token) {
		Long fence = this.client.sql("SELECT fence FROM %s WHERE resource = ?".formatted(this.table))
			.param(resource)
			.query(Long.class)
			.optional()
			.orElse(null);
		if (fence != null) {
			return new StaleTokenException(resource, token, (fence > token) ? fence : null);
		}
		return new ConcurrencyFailureException(
				"The fence of '%s' was made by another transaction that this one cannot see: try again in a new one"
					.formatted(resource));
	}

}
