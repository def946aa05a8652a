package io.distributedlock.redis.internal.driver;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * {@link BlockingScriptRunner}: the first connection, which commands wait for.
 */
@Execution(ExecutionMode.CONCURRENT)
class BlockingScriptRunnerTests {

	private final RedisConnectionFactory factory = mock(RedisConnectionFactory.class);

	private final AtomicInteger connections = new AtomicInteger();

	private final CountDownLatch free = new CountDownLatch(1);

	private BlockingScriptRunner runner;

	private void connect(Duration longest) {
		given(this.factory.getConnection()).willAnswer((call) -> {
			if (this.connections.incrementAndGet() == 1) {
				this.free.await();
			}
			throw new RedisConnectionFailureException("refused");
		});
		this.runner = new BlockingScriptRunner(this.factory, (key) -> "", (connection) -> {
		}, null, longest);
	}

	@AfterEach
	void close() {
		this.free.countDown();
		this.runner.close();
	}

	/** It waited without end where the driver has no limit for a connection. */
	@Test
	void commandWhenTheFirstConnectionHangsIsSentAfterAWhile() {
		connect(Duration.ofMillis(100));
		this.runner.connect();
		await().until(() -> this.connections.get() == 1);
		ScriptCall call = KeyCall.thatGoesAlone("a");
		this.runner.run(call);
		assertThat(call).failsWithin(Patience.CEILING).withThrowableThat().withMessageContaining("refused");
		ScriptCall later = KeyCall.thatGoesAlone("b");
		this.runner.run(later);
		assertThat(later).failsWithin(Patience.CEILING);
		assertThat(this.connections).hasValue(3);
	}

	@Test
	void commandsWhenTheFirstConnectionIsSlowBeginNoOther() {
		connect(Duration.ofHours(1));
		List<ScriptCall> calls = List.of(KeyCall.thatGoesAlone("a"), KeyCall.thatGoesAlone("b"));
		calls.forEach(this.runner::run);
		await().until(() -> this.connections.get() == 1);
		assertThat(calls).noneMatch(ScriptCall::isDone);
		this.free.countDown();
		calls.forEach((call) -> assertThat(call).failsWithin(Patience.CEILING));
		assertThat(this.connections).hasValue(1);
	}

}
