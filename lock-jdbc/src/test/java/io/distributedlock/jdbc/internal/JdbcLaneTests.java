package io.distributedlock.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.CallerThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

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
		assertThat(this.lane.later((connection) -> 1)).succeedsWithin(ENOUGH);
		AtomicReference<CompletableFuture<T>> answer = new AtomicReference<>();
		CallerThread.lend(ENOUGH.toNanos(), () -> {
			this.lane.run(() -> answer.set(this.lane.call(work)));
			return null;
		});
		return answer.get();
	}

	/** The statement was sent with a time-out of a millisecond, which broke it. */
	@Test
	void connectionThatComesTooLateForACallerIsNotUsed() throws SQLException {
		Connection early = connection();
		Connection late = connection();
		Thread caller = Thread.currentThread();
		willAnswer((call) -> {
			if (Thread.currentThread() != caller) {
				return early;
			}
			long start = System.nanoTime();
			await().until(() -> System.nanoTime() - start > Duration.ofMillis(150).toNanos());
			return late;
		}).given(this.source).getConnection();
		assertThat(lend((connection) -> connection)).succeedsWithin(ENOUGH).isSameAs(early);
		then(late).should(never()).setNetworkTimeout(any(), anyInt());
		then(late).should().close();
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

	@Test
	void closedLaneFailsLaterCommands() {
		this.lane.close();
		assertThat(this.lane.later((connection) -> 1)).failsWithin(ENOUGH)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockStoreException.class);
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
