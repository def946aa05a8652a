package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The check before a commit on hand-made rows: those that it sees, and locks. */
@Tag("oldest-server")
class PostgresCommitCheckIntegrationTests {

	private static final RequestId OWNER = RequestId.of(1, 0, 1, 0);

	private static final RequestId OTHER = RequestId.of(2, 0, 1, 0);

	private static final String TABLE = "checked_lock";

	/** A change of the holder, such as a renewal. */
	private static final String RENEWAL = "UPDATE " + TABLE + " SET state = state || '.' WHERE name = '%s'";

	/** A takeover, as of a lease that ran out. */
	private static final String TAKEOVER = "WITH x AS (SELECT name FROM " + TABLE + " WHERE name = '%s' "
			+ "FOR UPDATE SKIP LOCKED) UPDATE " + TABLE + " l SET owners = '{" + OTHER
			+ "}' FROM x WHERE l.name = x.name";

	private final LockKey key = new LockKey("", UUID.randomUUID().toString());

	private Connection transaction;

	private Connection other;

	private final PostgresCommitCheck check = new PostgresCommitCheck(() -> TABLE, () -> this.transaction,
			Duration.ofSeconds(2));

	@BeforeEach
	void connect() throws SQLException {
		PostgresSchema.of(TABLE).create(SharedPostgres.pool());
		this.other = SharedPostgres.SERVER.dataSource().getConnection();
		this.transaction = SharedPostgres.SERVER.dataSource().getConnection();
		this.transaction.setAutoCommit(false);
	}

	@AfterEach
	void disconnect() throws SQLException {
		this.transaction.close();
		this.other.close();
	}

	private void own(LockKey key, RequestId owner) throws SQLException {
		try (PreparedStatement statement = this.other.prepareStatement("INSERT INTO " + TABLE
				+ " (name, state, owners, token, expires) VALUES (?, '', ARRAY[?], 1, clock_timestamp())")) {
			statement.setString(1, key.encoded());
			statement.setString(2, owner.toString());
			statement.executeUpdate();
		}
	}

	private int change(String sql) throws SQLException {
		return this.other.createStatement().executeUpdate(sql.formatted(this.key));
	}

	private static String ask(Connection connection, String sql) throws SQLException {
		try (ResultSet rows = connection.createStatement().executeQuery(sql)) {
			rows.next();
			return rows.getString(1);
		}
	}

	private RuntimeException refusal() {
		return this.check.refusal(Map.of(this.key, OWNER));
	}

	@Test
	void ownerWhenCheckedKeepsTheLockUntilTheTransactionEnds() throws SQLException {
		own(this.key, OWNER);
		assertThat(refusal()).isNull();
		assertThat(change(TAKEOVER)).as("takeover before the commit").isZero();
		this.transaction.commit();
		assertThat(change(TAKEOVER)).as("takeover after it").isOne();
	}

	@Test
	void renewalWhenTheOwnerWasCheckedPasses() throws SQLException {
		own(this.key, OWNER);
		assertThat(refusal()).isNull();
		this.other.createStatement().execute("SET lock_timeout = '1ms'");
		assertThat(change(RENEWAL)).isOne();
		assertThat(change(TAKEOVER)).as("after a renewal").isZero();
	}

	@Test
	void savepointWhenRolledBackFreesTheLock() throws SQLException {
		own(this.key, OWNER);
		var savepoint = this.transaction.setSavepoint();
		assertThat(refusal()).isNull();
		this.transaction.rollback(savepoint);
		assertThat(change(TAKEOVER)).isOne();
	}

	@Test
	void ownerWhenReplacedIsRefused() throws SQLException {
		own(this.key, OWNER);
		assertThat(change(TAKEOVER)).isOne();
		assertThat(refusal()).isInstanceOf(LockStoreException.class);
	}

	@Test
	void ownerWhenAmongSeveralIsFound() throws SQLException {
		own(this.key, OTHER);
		change("UPDATE " + TABLE + " SET owners = owners || '" + OWNER + "'::text WHERE name = '%s'");
		assertThat(refusal()).isNull();
	}

	@Test
	void severalLocksWhenOneWasTakenAreRefused() throws SQLException {
		LockKey second = new LockKey("orders", UUID.randomUUID().toString());
		own(this.key, OWNER);
		own(second, OTHER);
		Map<LockKey, RequestId> owners = new HashMap<>(Map.of(this.key, OWNER, second, OTHER));
		assertThat(this.check.refusal(owners)).isNull();
		owners.put(second, OWNER);
		assertThat(this.check.refusal(owners)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining(second.encoded());
	}

	/** Two transactions that lock the same rows, each in the order of its caller. */
	@Test
	void severalLocksWhenCheckedTwiceAtATimeDoNotBlock() throws SQLException {
		LockKey second = new LockKey("", UUID.randomUUID().toString());
		own(this.key, OWNER);
		own(second, OWNER);
		Map<LockKey, RequestId> reverse = new LinkedHashMap<>();
		reverse.put(second, OWNER);
		reverse.put(this.key, OWNER);
		assertThat(this.check.refusal(Map.of(this.key, OWNER, second, OWNER))).isNull();
		this.other.setAutoCommit(false);
		assertThat(new PostgresCommitCheck(() -> TABLE, () -> this.other, Duration.ofSeconds(2)).refusal(reverse))
			.isNull();
		this.other.rollback();
	}

	@Test
	void takeoverWhenUnderWayIsAwaitedAndRefused() throws Exception {
		own(this.key, OWNER);
		this.other.setAutoCommit(false);
		assertThat(change(TAKEOVER)).isOne();
		CompletableFuture<RuntimeException> refusal = CompletableFuture.supplyAsync(this::refusal);
		try (Connection monitor = SharedPostgres.SERVER.dataSource().getConnection()) {
			Awaitility.await()
				.until(() -> "1".equals(ask(monitor,
						"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%checked_lock%FOR KEY SHARE%' AND pid <> pg_backend_pid()")));
		}
		this.other.commit();
		assertThat(refusal.join()).isInstanceOf(LockStoreException.class);
	}

	@ParameterizedTest
	@ValueSource(ints = { Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE })
	void ownerWhenRenewedAfterTheSnapshotIsFound(int isolation) throws SQLException {
		own(this.key, OWNER);
		snapshot(isolation);
		assertThat(change(RENEWAL)).isOne();
		assertThat(refusal()).isNull();
		assertThat(change(TAKEOVER)).as("takeover before the commit").isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE })
	void ownerWhenReplacedAfterTheSnapshotIsRefused(int isolation) throws SQLException {
		own(this.key, OWNER);
		snapshot(isolation);
		assertThat(change(TAKEOVER)).isOne();
		assertThat(refusal()).hasMessageContaining("could not serialize access");
	}

	/** That also refuses it where the row is shared: its own lock is still there. */
	@Test
	void readerWhenAnotherWasDroppedAfterTheSnapshotIsRefused() throws SQLException {
		own(this.key, OWNER);
		change("UPDATE " + TABLE + " SET owners = owners || '" + OTHER + "'::text WHERE name = '%s'");
		snapshot(Connection.TRANSACTION_REPEATABLE_READ);
		assertThat(change(TAKEOVER.replace("'{" + OTHER + "}'", "'{" + OWNER + "}'"))).isOne();
		assertThat(refusal()).hasMessageContaining("could not serialize access");
		this.transaction.rollback();
		snapshot(Connection.TRANSACTION_REPEATABLE_READ);
		assertThat(refusal()).isNull();
	}

	/** The new holder would not see what the one before it has written. */
	@ParameterizedTest
	@ValueSource(ints = { Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE })
	void ownerWhenAcquiredAfterTheSnapshotIsRefused(int isolation) throws SQLException {
		snapshot(isolation);
		own(this.key, OWNER);
		assertThat(refusal())
			.isInstanceOfSatisfying(LockStoreException.class,
					(ex) -> assertThat(ex.getKind()).isEqualTo(Kind.MISCONFIGURED))
			.hasMessageContaining("snapshot");
	}

	private void snapshot(int isolation) throws SQLException {
		this.transaction.setTransactionIsolation(isolation);
		ask(this.transaction, "SELECT count(*) FROM pg_class");
	}

	@Test
	void standstillAfterTheCheckIsLimitedInThisTransactionOnly() throws SQLException {
		own(this.key, OWNER);
		String limit = "SHOW idle_in_transaction_session_timeout";
		assertThat(refusal()).isNull();
		assertThat(ask(this.transaction, limit)).isEqualTo("2s");
		this.transaction.commit();
		assertThat(ask(this.transaction, limit)).isEqualTo("0");
	}

	@Test
	void standstillWhenTheTransactionAllowsLessIsNotAllowedLonger() throws SQLException {
		own(this.key, OWNER);
		for (String own : List.of("1500ms", "1min")) {
			this.transaction.createStatement().execute("SET LOCAL idle_in_transaction_session_timeout = '" + own + "'");
			assertThat(refusal()).isNull();
			assertThat(ask(this.transaction, "SHOW idle_in_transaction_session_timeout"))
				.isEqualTo(own.equals("1min") ? "2s" : own);
			this.transaction.commit();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "SET TRANSACTION READ ONLY", "SET default_transaction_read_only = on; COMMIT" })
	void transactionThatOnlyReadsByItsServerIsNotChecked(String sql) throws SQLException {
		own(this.key, OWNER);
		this.transaction.createStatement().execute(sql);
		assertThat(refusal()).isNull();
		assertThat(ask(this.transaction, "SHOW transaction_read_only")).as("still").isEqualTo("on");
		this.transaction.commit();
	}

	@Test
	void transactionWhenStoppedAfterTheCheckIsRolledBack() throws SQLException {
		own(this.key, OWNER);
		PostgresCommitCheck impatient = new PostgresCommitCheck(() -> TABLE, () -> this.transaction,
				Duration.ofMillis(100));
		assertThat(impatient.refusal(Map.of(this.key, OWNER))).isNull();
		Awaitility.await().until(() -> change(TAKEOVER) == 1);
		assertThatExceptionOfType(SQLException.class).isThrownBy(this.transaction::commit);
	}

	/** It would be refused: locking a row is a write. */
	@Test
	void transactionThatOnlyReadsIsNotChecked() throws SQLException {
		this.transaction.setReadOnly(true);
		assertThat(refusal()).isNull();
		assertThat(ask(this.transaction, "SHOW transaction_read_only")).isEqualTo("on");
	}

	@Test
	void connectionThatCommitsByItselfIsNotChecked() throws SQLException {
		this.transaction.setAutoCommit(true);
		assertThat(refusal()).isNull();
	}

	@Test
	void connectionThatHasFailedFailsTheTransaction() throws SQLException {
		this.transaction.close();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this::refusal)
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(Kind.UNAVAILABLE));
	}

}
