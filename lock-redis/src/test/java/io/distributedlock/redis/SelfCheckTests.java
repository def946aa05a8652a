package io.distributedlock.redis;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.RedisTarget;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

/**
 * {@link SelfCheck} with a server that is made up.
 */
@Execution(ExecutionMode.CONCURRENT)
class SelfCheckTests {

	private final Deque<String> refusals = new ArrayDeque<>();

	private final AtomicInteger contacts = new AtomicInteger();

	/** The last command that the driver did not answer. */
	private volatile ScriptCall unanswered;

	private volatile boolean silent;

	private final RedisDriver driver = mock(RedisDriver.class);

	private final RedisConnection connection = mock(RedisConnection.class);

	private final RedisConnectionFactory factory = mock(RedisConnectionFactory.class);

	private final SelfCheck check = check(StoreUnderTest.PATIENT);

	private SelfCheck check(RedisStoreSettings settings) {
		return new SelfCheck(this.driver, settings, RedisSetup.ofApplication(settings, false), new Server(),
				WireCommand.server(settings));
	}

	@BeforeEach
	void serverHasAllCommands() {
		RedisScriptingCommands scripts = mock(RedisScriptingCommands.class);
		given(scripts.eval(any(), eq(ReturnType.INTEGER), anyInt(), any(byte[][].class))).willReturn(8L);
		given(scripts.eval(any(), eq(ReturnType.MULTI), anyInt(), any(byte[][].class))).willReturn(List.of());
		given(this.connection.scriptingCommands()).willReturn(scripts);
		given(this.factory.getConnection()).willReturn(this.connection);
		given(this.driver.factory()).willReturn(this.factory);
		given(this.driver.target()).willReturn(RedisTarget.UNKNOWN);
	}

	@AfterEach
	void close() {
		this.check.close();
	}

	@Test
	void acquisitionsWhenNoCheckWasAskedForNeedNotWait() {
		assertThat(this.check.passed).isTrue();
	}

	@Test
	void acquisitionsWaitUntilACheckHasFoundNothingMissing() {
		this.refusals.add("WRONGPASS");
		assertThat(this.check.run()).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.withMessageContaining("WRONGPASS");
		assertThat(this.check.passed).isFalse();
		assertThat(this.check.run()).succeedsWithin(Patience.CEILING);
		assertThat(this.check.passed).isTrue();
		assertThat(this.contacts).hasValue(2);
	}

	@Test
	void checkWhenTheServerIsSilentIsMadeOnceForAll() {
		this.silent = true;
		CompletableFuture<Void> first = this.check.run();
		assertThat(this.check.run()).isSameAs(first);
		Awaitility.await().until(() -> this.unanswered != null);
		this.unanswered.complete(List.of(0L));
		assertThat(first).succeedsWithin(Patience.CEILING);
	}

	/** A connection that the network has forgotten was never replaced. */
	@Test
	void checkWhenTheServerStaysSilentWithdrawsItsCommand() {
		this.silent = true;
		try (SelfCheck impatient = check(RedisStoreSettings.DEFAULTS)) {
			assertThat(impatient.run()).failsWithin(Patience.CEILING);
		}
		assertThat(this.unanswered).isCancelled();
	}

	@Test
	void contactWhenRefusedAfterTwoBreaksFailsWithTheRefusal() {
		this.refusals
			.addAll(List.of("Connection closed prematurely", "RedisHandshakeHandler not registered", "WRONGPASS"));
		assertThat(this.check.run()).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.withMessageContaining("WRONGPASS");
		assertThat(this.contacts).hasValue(3);
	}

	@Test
	void contactWhenTheConnectionAlwaysBreaksFailsAfterFourAttempts() {
		this.refusals.addAll(Collections.nCopies(10, "Connection closed prematurely"));
		assertThat(this.check.run()).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.withMessageContaining("Connection closed prematurely");
		assertThat(this.contacts).hasValue(4);
	}

	/** A user who may not select the database was taken for an outage. */
	@Test
	void checkWhenALaterConnectionBreaksTwiceOpensAnother() {
		given(this.factory.getConnection()).willThrow(broken())
			.willThrow(broken())
			.willReturn(this.connection)
			.willThrow(broken())
			.willReturn(this.connection);
		assertThat(this.check.run()).succeedsWithin(Patience.CEILING);
		then(this.factory).should(times(5)).getConnection();
	}

	@Test
	void checkWhenALaterConnectionAlwaysBreaksFailsAfterFour() {
		given(this.factory.getConnection()).willThrow(broken());
		assertThat(this.check.run()).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.withMessageContaining("RedisHandshakeHandler not registered");
		then(this.factory).should(times(4)).getConnection();
	}

	private static RuntimeException broken() {
		return new RedisConnectionFailureException("Unable to connect",
				new IllegalStateException("RedisHandshakeHandler not registered"));
	}

	/** Its thread stayed for as long as the server was silent. */
	@Test
	void checkWhenTheStoreIsClosedEnds() {
		this.silent = true;
		CompletableFuture<Void> running = this.check.run();
		this.check.close();
		assertThat(running).failsWithin(Patience.CEILING);
		assertThat(this.check.run()).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.withMessageContaining("The lock store is closed");
	}

	/** Answers, refuses or is silent. */
	private final class Server implements ScriptRunner {

		@Override
		public void run(ScriptCall call) {
			SelfCheckTests.this.contacts.incrementAndGet();
			String refusal = SelfCheckTests.this.refusals.poll();
			if (SelfCheckTests.this.silent) {
				SelfCheckTests.this.unanswered = call;
			}
			else if (refusal != null) {
				call.completeExceptionally(new IllegalStateException(refusal));
			}
			else {
				call.complete(List.of(0L));
			}
		}

		@Override
		public CompletableFuture<?> connect() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void close() {
		}

	}

}
