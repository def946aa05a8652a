package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The number of statements of a command. A machine that stands still for 10 ms costs one
 * more, so each count is awaited.
 */
@Tag("oldest-server")
class PostgresStatementsIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(60);

	private static final AtomicLong NUMBERS = new AtomicLong(1_000_000);

	private final CountedStatements statements = new CountedStatements();

	private final PostgresLockStore store = PostgresLockStore.builder(this.statements.on(SharedPostgres.pool()))
		.commandTimeout(Duration.ofSeconds(5))
		.build();

	@AfterEach
	void close() {
		this.store.close();
	}

	private static LockKey newKey() {
		return new LockKey("statements", Long.toString(NUMBERS.incrementAndGet()));
	}

	private static RequestId newRequest() {
		return RequestId.of(7, 0, NUMBERS.incrementAndGet(), 0);
	}

	/** Acquire and release, and return the number of statements. */
	private int pair(LockKey key) {
		this.statements.take();
		RequestId request = newRequest();
		assertThat(acquire(key, request)).isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(this.store.release(new ReleaseCommand(key, request)).join()).isEqualTo(Ownership.HELD);
		return this.statements.take().size();
	}

	private AcquireOutcome acquire(LockKey key, RequestId request) {
		return this.store.acquire(new AcquireCommand(key, request, TTL, Duration.ZERO, Duration.ZERO)).join();
	}

	@Test
	void acquireAndReleaseAreOneStatementEach() {
		LockKey key = newKey();
		await().until(() -> pair(key) == 2);
	}

	@Test
	void lockThatWasNeverSeenIsTakenByOneStatement() {
		await().until(() -> pair(newKey()) == 2);
	}

	/**
	 * The state is another one than this instance has seen, once: from then on it reads.
	 */
	@Test
	void lockThatAnotherInstanceHadIsTakenByTwoStatements() {
		LockKey key = newKey();
		try (PostgresLockStore other = PostgresLockStore.builder(SharedPostgres.pool()).build()) {
			await().until(() -> {
				RequestId request = RequestId.of(8, 0, NUMBERS.incrementAndGet(), 0);
				other.acquire(new AcquireCommand(key, request, TTL, Duration.ZERO, Duration.ZERO)).join();
				other.release(new ReleaseCommand(key, request)).join();
				return pair(key) == 3;
			});
		}
	}

	@Test
	void severalLocksAreTakenAndReleasedByOneStatementEach() {
		List<LockKey> keys = List.of(newKey(), newKey(), newKey());
		await().until(() -> {
			this.statements.take();
			RequestId request = newRequest();
			assertThat(acquire(keys, request)).isInstanceOf(AcquireOutcome.Granted.class);
			assertThat(this.store.release(new ReleaseCommand(keys, request, RenewalMarks.NONE)).join())
				.isEqualTo(Ownership.HELD);
			return this.statements.take().size() == 2;
		});
	}

	private AcquireOutcome acquire(List<LockKey> keys, RequestId request) {
		return this.store
			.acquire(new AcquireCommand(keys, request, LockMode.EXCLUSIVE, 0, null, TTL, Duration.ZERO, Duration.ZERO,
					0, false))
			.join();
	}

	@Test
	void leasesOfManyLocksAreRenewedByOneStatement() throws SQLException {
		List<RenewCommand> renewals = IntStream.range(0, 50).mapToObj((i) -> {
			RenewCommand renewal = new RenewCommand(newKey(), newRequest(), Duration.ofDays(1));
			acquire(renewal.key(), renewal.request());
			return renewal;
		}).toList();
		await().until(() -> {
			this.statements.take();
			assertThat(this.store.renew(renewals)).extracting(CompletableFuture::join).containsOnly(Ownership.HELD);
			return this.statements.take().size() == 1;
		});
		assertThat(secondsLeft(renewals.get(49).key())).isGreaterThan(80_000);
	}

	/**
	 * Each one was sent alone, since their planning took longer than the time in which a
	 * guess is good.
	 */
	@Test
	void leasesOfVeryManyLocksAreRenewedByTwoStatements() {
		List<RenewCommand> renewals = IntStream.range(0, 1_000).mapToObj((i) -> held()).toList();
		Arrays.asList(0, 1).forEach((round) -> {
			this.statements.take();
			assertThat(this.store.renew(renewals)).extracting(CompletableFuture::join).containsOnly(Ownership.HELD);
			assertThat(this.statements.take()).hasSizeLessThanOrEqualTo(2);
		});
	}

	@Test
	void renewalsDoNotWaitForALockWhoseRowIsBlocked() throws SQLException {
		List<RenewCommand> renewals = IntStream.range(0, 10).mapToObj((i) -> held()).toList();
		try (Connection blocker = SharedPostgres.SERVER.dataSource().getConnection()) {
			blocker.setAutoCommit(false);
			blocker.createStatement()
				.execute("SELECT FROM distributed_lock WHERE name = '" + renewals.get(0).key().encoded()
						+ "' FOR NO KEY UPDATE");
			List<CompletableFuture<Ownership>> answers = this.store.renew(renewals);
			answers.subList(1, answers.size()).forEach(CompletableFuture::join);
			assertThat(answers.get(0)).isNotDone();
			blocker.rollback();
		}
	}

	private RenewCommand held() {
		RenewCommand renewal = new RenewCommand(newKey(), newRequest(), TTL);
		assertThat(acquire(renewal.key(), renewal.request())).isInstanceOf(AcquireOutcome.Granted.class);
		return renewal;
	}

	/** A renewal that is lost does not hide the others. */
	@Test
	void lostLeaseAmongManyIsReportedAlone() throws SQLException {
		List<RenewCommand> renewals = IntStream.range(0, 3)
			.mapToObj((i) -> new RenewCommand(newKey(), newRequest(), TTL))
			.toList();
		renewals.forEach((each) -> acquire(each.key(), each.request()));
		execute("DELETE FROM distributed_lock WHERE name = '" + renewals.get(1).key().encoded() + "'");
		assertThat(this.store.renew(renewals)).extracting(CompletableFuture::join)
			.containsExactly(Ownership.HELD, Ownership.LOST, Ownership.HELD);
	}

	private static void execute(String sql) throws SQLException {
		try (Connection connection = SharedPostgres.pool().getConnection()) {
			connection.createStatement().execute(sql);
		}
	}

	private static long secondsLeft(LockKey key) throws SQLException {
		try (Connection connection = SharedPostgres.pool().getConnection();
				ResultSet rows = connection.createStatement()
					.executeQuery("SELECT extract(epoch FROM expires - clock_timestamp()) FROM distributed_lock "
							+ "WHERE name = '" + key.encoded() + "'")) {
			return rows.next() ? rows.getLong(1) : -1;
		}
	}

	@Test
	void rowIsDeletedAfterItsTimeThoughNoCommandNamesIt() throws SQLException {
		LockKey key = newKey();
		try (PostgresLockStore cleaning = PostgresLockStore.builder(SharedPostgres.pool())
			.retention(Duration.ofSeconds(1))
			.build()) {
			cleaning.start("0000000000000009", new WakeUpListener() {

				@Override
				public void wakeUp(String encodedKey) {
				}

				@Override
				public void wakeUpAll() {
				}

			});
			RequestId request = newRequest();
			cleaning.acquire(new AcquireCommand(key, request, TTL, Duration.ZERO, Duration.ZERO)).join();
			assertThat(secondsLeft(key)).isPositive();
			cleaning.release(new ReleaseCommand(key, request)).join();
			await().until(() -> secondsLeft(key) == -1);
		}
	}

}
