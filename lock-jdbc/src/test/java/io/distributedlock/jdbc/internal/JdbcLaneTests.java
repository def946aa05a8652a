package io.distributedlock.jdbc.internal;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.CallerThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/** Threads and connections of statements, with connections that are imitated. */
class JdbcLaneTests {

	private static final Duration ENOUGH = Duration.ofSeconds(30);

	private final DataSource source = mock();

	private final JdbcLane lane = new JdbcLane(this.source, ENOUGH, 4);

	@AfterEach
	void close() {
		this.lane.close();
	}

	private static Connection connection() throws SQLException {
		Connection connection = mock(RETURNS_DEEP_STUBS);
		given(connection.getAutoCommit()).willReturn(true);
		given(connection.getMetaData().getURL()).willReturn("jdbc:postgresql://host/database");
		return connection;
	}

	/** Run work on the thread of a caller, after a thread of the lane had an answer. */
	private <T> CompletableFuture<T> lend(JdbcLane.Work<T> work) {
		await().until(() -> {
			assertThat(this.lane.later((connection) -> 1)).succeedsWithin(ENOUGH);
			return lendNow((connection) -> Thread.currentThread()).join() == Thread.currentThread();
		});
		return lendNow(work);
	}

	private <T> CompletableFuture<T> lendNow(JdbcLane.Work<T> work) {
		return lendNow(ENOUGH, work);
	}

	private <T> CompletableFuture<T> lendNow(Duration budget, JdbcLane.Work<T> work) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		CallerThread.lend(budget.toNanos(), () -> {
			this.lane.run(() -> this.lane.call(work).thenAccept(answer::complete));
			return null;
		});
		return answer;
	}

	/** The statement was sent with a time-out of a millisecond, which broke it. */
	@Test
	void connectionThatComesTooLateForACallerIsNotUsed() throws SQLException {
		Connection early = connection();
		Connection late = connection();
		Thread caller = Thread.currentThread();
		given(this.source.getConnection()).willReturn(early);
		assertThat(lend((connection) -> connection)).succeedsWithin(ENOUGH).isSameAs(early);
		willAnswer((call) -> {
			if (Thread.currentThread() != caller) {
				return early;
			}
			long start = System.nanoTime();
			await().until(() -> System.nanoTime() - start > Duration.ofMillis(150).toNanos());
			return late;
		}).given(this.source).getConnection();
		assertThat(lendNow((connection) -> connection)).succeedsWithin(ENOUGH).isSameAs(early);
		then(late).should(never()).setNetworkTimeout(any(), anyInt());
		then(late).should().close();
	}

	/** The caller waited for the pool, which knows nothing of its budget. */
	@Test
	void callerWithLessTimeThanThePoolTakesIsNotUsed() throws SQLException {
		Connection connection = connection();
		given(this.source.getConnection()).willReturn(connection);
		assertThat(lend((used) -> Thread.currentThread())).succeedsWithin(ENOUGH).isSameAs(Thread.currentThread());
		assertThat(lendNow(ENOUGH.minusMillis(1), (used) -> Thread.currentThread())).succeedsWithin(ENOUGH)
			.isNotSameAs(Thread.currentThread());
	}

	/** Every second command failed on the thread of a caller, and then again later. */
	@Test
	void callersStayAwayFromAServerThatIsSlow() throws SQLException {
		Connection connection = connection();
		given(this.source.getConnection()).willReturn(connection);
		assertThat(lend((used) -> Thread.currentThread())).as("fast")
			.succeedsWithin(ENOUGH)
			.isSameAs(Thread.currentThread());
		long start = System.nanoTime();
		assertThat(this.lane.later((used) -> {
			await().until(() -> System.nanoTime() - start > Duration.ofMillis(150).toNanos());
			return 1;
		})).succeedsWithin(ENOUGH);
		assertThat(lendNow((used) -> Thread.currentThread())).succeedsWithin(ENOUGH)
			.isNotSameAs(Thread.currentThread());
	}

	/** The answer never came, and clean-up did not go on. */
	@Test
	void poolThatThrowsFailsTheCommand() throws SQLException {
		given(this.source.getConnection()).willThrow(new IllegalStateException("No pool"));
		assertThat(this.lane.later((connection) -> 1)).failsWithin(ENOUGH)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockStoreException.class)
			.havingRootCause()
			.withMessage("No pool");
	}

	/** It was known to the pool only, and users read "no answer". */
	@Test
	void placeWhenThereIsNoConnectionHasTheReason() throws SQLException {
		Connection connection = connection();
		given(this.source.getConnection()).willReturn(connection)
			.willThrow(new SQLException("waited in vain", new SQLException("login failed", new IOException("refused"))))
			.willReturn(connection);
		assertThat(this.lane.later((used) -> 1)).succeedsWithin(ENOUGH);
		assertThat(this.lane.place()).isEqualTo("PostgreSQL at host/database");
		assertThat(this.lane.later((used) -> 2)).failsWithin(ENOUGH);
		assertThat(this.lane.place()).isEqualTo("PostgreSQL at host/database, to which the pool of the locks got no "
				+ "connection (login failed: java.io.IOException: refused)");
		assertThat(this.lane.later((used) -> 3)).succeedsWithin(ENOUGH);
		assertThat(this.lane.place()).isEqualTo("PostgreSQL at host/database");
	}

	@Test
	void closedLaneFailsLaterCommands() {
		this.lane.close();
		assertThat(this.lane.later((connection) -> 1)).failsWithin(ENOUGH)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockStoreException.class);
	}

	/** Named statements are those of the connection to the server, which changes. */
	@ParameterizedTest
	@CsvSource({ "1, 1, false", "1, 2, true" })
	void nothingIsPreparedBehindAPooler(int own, int ofServer, boolean pooled) throws SQLException {
		Connection connection = connection();
		PGConnection driver = mock();
		given(connection.isWrapperFor(PGConnection.class)).willReturn(true);
		given(connection.unwrap(PGConnection.class)).willReturn(driver);
		given(driver.getBackendPID()).willReturn(own);
		given(connection.createStatement().executeQuery(anyString()).getInt(1)).willReturn(ofServer);
		given(this.source.getConnection()).willReturn(connection);
		assertThat(this.lane.later((used) -> 1)).succeedsWithin(ENOUGH);
		assertThat(this.lane.later((used) -> 2)).succeedsWithin(ENOUGH);
		then(driver).should(pooled ? times(1) : never()).setPrepareThreshold(0);
	}

	/** The statement was not run, as another client's was in its place or none. */
	@ParameterizedTest
	@ValueSource(strings = { "26000", "42P05" })
	void statementThatThePoolerHasNotIsRepeated(String state) throws SQLException {
		Connection connection = connection();
		given(this.source.getConnection()).willReturn(connection);
		AtomicInteger attempts = new AtomicInteger();
		assertThat(this.lane.later((used) -> {
			if (attempts.incrementAndGet() == 1) {
				throw new SQLException("prepared statement", state);
			}
			return "done";
		})).succeedsWithin(ENOUGH).isEqualTo("done");
		then(connection).should().abort(any());
	}

	@ParameterizedTest
	@ValueSource(strings = { "57P01", "57P05", "25P03", "25P04", "25006" })
	void connectionThatIsOfNoUseIsReplaced(String state) throws SQLException {
		Connection useless = connection();
		Connection good = connection();
		given(this.source.getConnection()).willReturn(useless, good);
		assertThat(this.lane.later((used) -> {
			if (used == useless) {
				throw new SQLException("ended", state);
			}
			return used;
		})).succeedsWithin(ENOUGH).isSameAs(good);
		then(useless).should().abort(any());
	}

	/** Threads waited for a connection that callers could have used. */
	@Test
	void noMoreConnectionsAreWantedThanThePoolHas() throws SQLException {
		Connection connection = connection();
		given(this.source.getConnection()).willReturn(connection);
		BlockingQueue<CompletableFuture<Integer>> running = new LinkedBlockingQueue<>();
		try (JdbcLane small = new JdbcLane(this.source, ENOUGH, 1)) {
			List<CompletableFuture<Integer>> answers = List.of(small.later((used) -> next(running)),
					small.later((used) -> next(running)));
			await().until(() -> running.size() == 1);
			await().during(Duration.ofMillis(100)).until(() -> running.size() == 1);
			running.remove().complete(1);
			await().until(() -> running.size() == 1);
			running.remove().complete(2);
			assertThat(answers).allSatisfy((answer) -> assertThat(answer).succeedsWithin(ENOUGH));
		}
	}

	private static int next(BlockingQueue<CompletableFuture<Integer>> running) {
		CompletableFuture<Integer> result = new CompletableFuture<>();
		running.add(result);
		return result.join();
	}

}
