package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * No owner loses a lock between the check at the end of its transaction and the commit.
 * The check is a statement of the transaction, so these tests send it themselves.
 */
@Tag("oldest-server")
class PostgresTakeoverIntegrationTests {

	private static final Duration SHORT = Duration.ofMillis(100);

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final String CHECK = "SELECT token FROM distributed_lock WHERE name = ? AND owners @> ARRAY[?]::text[] "
			+ "FOR KEY SHARE";

	private static final AtomicLong NUMBERS = new AtomicLong();

	private final CountedStatements statements = new CountedStatements();

	private final PostgresLockStore store = PostgresLockStore.builder(this.statements.on(SharedPostgres.pool()))
		.commandTimeout(Duration.ofSeconds(5))
		.build();

	private final LockKey key = new LockKey("takeover", Long.toString(NUMBERS.incrementAndGet()));

	private final RequestId owner = newRequest();

	private final RequestId other = newRequest();

	private Connection transaction;

	private static RequestId newRequest() {
		return RequestId.of(NUMBERS.incrementAndGet(), 0, 1, 0);
	}

	@BeforeEach
	void begin() throws SQLException {
		this.transaction = SharedPostgres.SERVER.dataSource().getConnection();
		this.transaction.setAutoCommit(false);
	}

	@AfterEach
	void close() throws SQLException {
		this.transaction.close();
		this.store.close();
	}

	private AcquireOutcome acquire(RequestId request, LockMode mode, Duration ttl) {
		return this.store
			.acquire(new AcquireCommand(List.of(this.key), request, mode, (mode == LockMode.SEMAPHORE) ? 1 : 0, null,
					ttl, Duration.ZERO, Duration.ofSeconds(5), 0, false))
			.join();
	}

	private AcquireOutcome acquire(RequestId request, LockKey... keys) {
		return this.store
			.acquire(new AcquireCommand(List.of(keys), request, LockMode.EXCLUSIVE, 0, null, LONG, Duration.ZERO,
					Duration.ZERO, 0, false))
			.join();
	}

	private boolean isTaken(LockKey key) {
		return this.store.inspect(key).join().holders().size() > 0;
	}

	private boolean check(RequestId request) throws SQLException {
		try (PreparedStatement statement = this.transaction.prepareStatement(CHECK)) {
			statement.setString(1, this.key.encoded());
			statement.setString(2, request.toString());
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next();
			}
		}
	}

	private void awaitExpiry(RequestId request) {
		await().until(() -> this.store.inspect(this.key)
			.join()
			.holders()
			.stream()
			.noneMatch((holder) -> holder.instance().equals(request.instance())));
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void expiredLockIsTakenAfterTheTransactionThatWasChecked(LockMode mode) throws SQLException {
		assertThat(acquire(this.owner, mode, SHORT)).isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(check(this.owner)).isTrue();
		awaitExpiry(this.owner);
		LockMode taking = (mode == LockMode.READ) ? LockMode.EXCLUSIVE : mode;
		assertThat(acquire(this.other, taking, LONG)).isInstanceOf(AcquireOutcome.Busy.class);
		assertThat(acquire(this.other, taking, LONG)).isInstanceOf(AcquireOutcome.Busy.class);
		assertThat(check(this.owner)).as("in the same transaction").isTrue();
		this.transaction.commit();
		await().untilAsserted(
				() -> assertThat(acquire(this.other, taking, LONG)).isInstanceOf(AcquireOutcome.Granted.class));
		assertThat(check(this.owner)).isFalse();
		assertThat(check(this.other)).isTrue();
	}

	@Test
	void setIsTakenAfterTheTransactionOfOneOfItsOwners() throws SQLException {
		LockKey free = new LockKey("takeover", this.key.key() + "-free");
		acquire(this.owner, LockMode.EXCLUSIVE, SHORT);
		assertThat(check(this.owner)).isTrue();
		awaitExpiry(this.owner);
		assertThat(acquire(this.other, this.key, free)).isInstanceOf(AcquireOutcome.Busy.class);
		assertThat(acquire(this.other, free, this.key)).isInstanceOfSatisfying(AcquireOutcome.Busy.class,
				(busy) -> assertThat(busy.index()).isEqualTo(1));
		assertThat(isTaken(free)).isFalse();
		this.transaction.commit();
		await().untilAsserted(
				() -> assertThat(acquire(this.other, this.key, free)).isInstanceOf(AcquireOutcome.Granted.class));
		assertThat(check(this.owner)).isFalse();
		assertThat(isTaken(free)).isTrue();
	}

	/** The row was not there for the statement, which waits for it and takes nothing. */
	@Test
	void setWhenAnotherAddsOneOfItsRowsMeanwhileIsNotTaken() throws SQLException {
		LockKey held = new LockKey("takeover", this.key.key() + "-held");
		LockKey free = new LockKey("takeover", this.key.key() + "-free");
		assertThat(acquire(this.owner, held)).isInstanceOf(AcquireOutcome.Granted.class);
		this.transaction.createStatement()
			.execute("INSERT INTO distributed_lock SELECT '" + this.key.encoded()
					+ "', state, owners, token, expires FROM distributed_lock WHERE name = '" + held.encoded() + "'");
		CompletableFuture<AcquireOutcome> answer = CompletableFuture
			.supplyAsync(() -> acquire(this.other, free, this.key));
		try (Connection watcher = SharedPostgres.SERVER.dataSource().getConnection()) {
			await().until(() -> isBlocked(watcher));
		}
		this.transaction.commit();
		assertThat(answer.join()).isInstanceOfSatisfying(AcquireOutcome.Busy.class,
				(busy) -> assertThat(busy.index()).isEqualTo(1));
		assertThat(isTaken(free)).isFalse();
	}

	/** It kept the rows of its other locks locked while it waited. */
	@Test
	void setThatWaitsForAChangeOfOneRowLocksNoOther() throws SQLException {
		LockKey free = new LockKey("takeover", this.key.key() + "-free");
		for (LockKey each : List.of(free, this.key)) {
			acquire(this.owner, each);
			this.store.release(new ReleaseCommand(each, this.owner)).join();
		}
		this.transaction.createStatement()
			.execute("SELECT FROM distributed_lock WHERE name = '" + this.key.encoded() + "' FOR NO KEY UPDATE");
		CompletableFuture<AcquireOutcome> answer = CompletableFuture
			.supplyAsync(() -> acquire(newRequest(), free, this.key));
		try (Connection watcher = SharedPostgres.SERVER.dataSource().getConnection()) {
			await().until(() -> isBlocked(watcher));
			assertThat(acquire(this.other, free)).isInstanceOf(AcquireOutcome.Granted.class);
			assertThat(isBlocked(watcher)).isTrue();
		}
		this.transaction.rollback();
		assertThat(answer.join()).isInstanceOfSatisfying(AcquireOutcome.Busy.class,
				(busy) -> assertThat(busy.index()).isZero());
	}

	private static boolean isBlocked(Connection watcher) throws SQLException {
		try (ResultSet rows = watcher.createStatement()
			.executeQuery("SELECT FROM pg_stat_activity, pg_stat_clear_snapshot() WHERE wait_event_type = 'Lock' "
					+ "AND query LIKE 'WITH %'")) {
			return rows.next();
		}
	}

	/** They lock their rows in any order, and wait for none. */
	@Test
	void setsThatOverlapInAnyOrderAreTakenByOneAtATime() {
		LockKey next = new LockKey("takeover", this.key.key() + "-next");
		AtomicInteger inside = new AtomicInteger();
		List<CompletableFuture<Void>> workers = Stream.of(List.of(this.key, next), List.of(next, this.key))
			.flatMap((keys) -> Stream.of(keys, keys))
			.map((keys) -> CompletableFuture.runAsync(() -> IntStream.range(0, 20).forEach((i) -> {
				RequestId request = newRequest();
				await().pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(1))
					.until(() -> acquire(request, keys.toArray(LockKey[]::new)) instanceof AcquireOutcome.Granted);
				assertThat(inside.incrementAndGet()).isOne();
				inside.decrementAndGet();
				assertThat(this.store.release(new ReleaseCommand(keys, request, RenewalMarks.NONE)).join())
					.isEqualTo(Ownership.HELD);
			})))
			.toList();
		assertThat(workers).allSatisfy((worker) -> assertThat(worker).succeedsWithin(Duration.ofSeconds(60)));
	}

	/** Waiters that changed the row made it look as if the owner committed, for ever. */
	@Test
	void expiredLockIsTakenAfterAChangeOfItsRow() throws SQLException {
		assertThat(acquire(this.owner, LockMode.EXCLUSIVE, SHORT)).isInstanceOf(AcquireOutcome.Granted.class);
		awaitExpiry(this.owner);
		this.transaction.createStatement()
			.execute("SELECT FROM distributed_lock WHERE name = '" + this.key.encoded() + "' FOR NO KEY UPDATE");
		this.statements.take();
		CompletableFuture<AcquireOutcome> answer = this.store
			.acquire(new AcquireCommand(this.key, this.other, LONG, Duration.ZERO, Duration.ZERO));
		await().until(() -> this.statements.count() > 1);
		this.transaction.rollback();
		assertThat(answer.join()).isInstanceOf(AcquireOutcome.Granted.class);
	}

	/** Its lease is over, but no other has taken the lock: so it wrote alone. */
	@Test
	void expiredOwnerPassesTheCheckUntilAnotherTakesTheLock() throws SQLException {
		acquire(this.owner, LockMode.EXCLUSIVE, SHORT);
		awaitExpiry(this.owner);
		assertThat(check(this.owner)).isTrue();
	}

	@Test
	void forcedReleaseWaitsForTheTransactionThatWasChecked() throws SQLException {
		acquire(this.owner, LockMode.EXCLUSIVE, LONG);
		assertThat(check(this.owner)).isTrue();
		this.statements.take();
		CompletableFuture<Integer> forced = this.store.forceRelease(new ForceReleaseCommand(this.key, null));
		await().until(() -> this.statements.count() > 3);
		assertThat(forced).isNotDone();
		this.transaction.commit();
		assertThat(forced.join()).isEqualTo(1);
		assertThat(check(this.owner)).isFalse();
	}

	@Test
	void renewalAndReleasePassTheTransactionThatWasChecked() throws SQLException {
		acquire(this.owner, LockMode.EXCLUSIVE, LONG);
		assertThat(check(this.owner)).isTrue();
		assertThat(this.store.renew(List.of(new RenewCommand(this.key, this.owner, LONG))).get(0).join())
			.isEqualTo(Ownership.HELD);
		assertThat(this.store.release(new ReleaseCommand(this.key, this.owner)).join()).isEqualTo(Ownership.HELD);
		this.transaction.commit();
	}

	/** The renewal dropped the reader, and the writer after it found no owner left. */
	@Test
	void readerThatCommitsIsNotDroppedByOthers() throws SQLException {
		acquire(this.owner, LockMode.READ, SHORT);
		assertThat(check(this.owner)).isTrue();
		acquire(this.other, LockMode.READ, LONG);
		awaitExpiry(this.owner);
		assertThat(this.store.renew(List.of(new RenewCommand(this.key, this.other, LONG))).get(0).join())
			.isEqualTo(Ownership.HELD);
		assertThat(this.store.release(new ReleaseCommand(this.key, this.other)).join()).isEqualTo(Ownership.HELD);
		RequestId writer = newRequest();
		assertThat(acquire(writer, LockMode.EXCLUSIVE, LONG)).isInstanceOf(AcquireOutcome.Busy.class);
		this.transaction.commit();
		await().untilAsserted(
				() -> assertThat(acquire(writer, LockMode.EXCLUSIVE, LONG)).isInstanceOf(AcquireOutcome.Granted.class));
	}

	/** Its own late renewal found the lease over, and dropped it for the next writer. */
	@Test
	void readerThatCommitsIsNotDroppedByItsOwnRenewal() throws SQLException {
		acquire(this.owner, LockMode.READ, SHORT);
		assertThat(check(this.owner)).isTrue();
		awaitExpiry(this.owner);
		this.store.renew(List.of(new RenewCommand(this.key, this.owner, SHORT))).get(0).join();
		assertThat(acquire(this.other, LockMode.EXCLUSIVE, LONG)).isInstanceOf(AcquireOutcome.Busy.class);
		this.transaction.commit();
	}

	/**
	 * The holder counts from the moment when it sent its command, and takes off a
	 * hundredth and 2 milliseconds. The rules round times down to a millisecond.
	 */
	@Test
	void lockIsTakenNoEarlierThanItsHolderCounts() {
		try (PostgresLockStore others = PostgresLockStore.builder(SharedPostgres.pool()).build()) {
			for (int i = 0; i < 20; i++) {
				RequestId holder = newRequest();
				long sent = System.nanoTime();
				assertThat(acquire(holder, LockMode.EXCLUSIVE, SHORT)).isInstanceOf(AcquireOutcome.Granted.class);
				AcquireCommand next = new AcquireCommand(this.key, newRequest(), LONG, Duration.ZERO, Duration.ZERO);
				await().pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(1))
					.until(() -> others.acquire(next).join() instanceof AcquireOutcome.Granted);
				assertThat(Duration.ofNanos(System.nanoTime() - sent))
					.isGreaterThanOrEqualTo(SHORT.multipliedBy(99).dividedBy(100).minusMillis(2));
				others.release(new ReleaseCommand(this.key, next.request())).join();
			}
		}
	}

	@Test
	void checkThatComesAfterATakeoverFails() throws SQLException {
		acquire(this.owner, LockMode.EXCLUSIVE, SHORT);
		awaitExpiry(this.owner);
		await().untilAsserted(() -> assertThat(acquire(this.other, LockMode.EXCLUSIVE, LONG))
			.isInstanceOf(AcquireOutcome.Granted.class));
		assertThat(check(this.owner)).isFalse();
	}

}
