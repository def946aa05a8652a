package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.distributedlock.LeaseLock;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.redis.internal.driver.Script;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.store.CallerThread;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Commands with Jedis on the threads of callers that wait for them. */
class JedisCallerThreadIntegrationTests {

	/** A connection on which this key was sent gets no more answers. */
	private static final String MUTE = "mute-key";

	/** Both a command and reading an answer may take longer. */
	private static final RedisStoreSettings PATIENT = new RedisStoreSettings("lock:", Duration.ofSeconds(60),
			Duration.ofSeconds(10), true);

	private static final Duration BEFORE_THE_SOCKET = Duration.ofSeconds(5);

	private static final Script SEVEN = new Script(WireFormat.utf8("return 7"));

	private static RedisServer server;

	private final MuteServer mute = new MuteServer(server, MUTE);

	private final RedisConnectionFactory factory = DriverUnderTest.JEDIS.connect(this.mute.address());

	private final LockConnections connections = LockConnections.of(this.factory, RedisStoreSettings.DEFAULTS);

	private final ScriptRunner runner = this.connections.scripts().scripts((key) -> "", () -> {
	});

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	/** Wait for the connection, which is first opened in the background. */
	@BeforeEach
	void open() {
		Awaitility.await().until(() -> isAnsweredOnThisThread(this.runner));
	}

	@AfterEach
	void close() {
		this.runner.close();
		this.connections.close();
		DriverUnderTest.close(this.factory);
		this.mute.close();
	}

	private CompletableFuture<Object> onThisThread(String key) {
		return onThisThread(this.runner, key);
	}

	private static CompletableFuture<Object> onThisThread(ScriptRunner scripts, String key) {
		return CallerThread.lend(Duration.ofSeconds(1).toNanos(), () -> run(scripts, key));
	}

	private static CompletableFuture<Object> run(ScriptRunner scripts, String key) {
		ScriptCall call = new ScriptCall(SEVEN, new byte[][] { WireFormat.utf8("lock:" + key) }, new byte[0][]);
		scripts.run(call);
		return call;
	}

	@Test
	void commandOfACallerWhoWaitsIsAnsweredWhenItReturns() {
		Awaitility.await().until(() -> IntStream.range(0, 100).allMatch((i) -> isAnsweredOnThisThread(this.runner)));
	}

	/** An error ends no connection of callers, as an answer does that takes long. */
	@Test
	void commandWhenTheServerForgotTheScriptIsAnswered() {
		Awaitility.await().until(() -> {
			open();
			server.ask("SCRIPT", "FLUSH");
			assertThat(onThisThread("again")).succeedsWithin(Patience.CEILING);
			return isAnsweredOnThisThread(this.runner);
		});
	}

	@Test
	void commandsWhenTheConnectionsWereCutAreAnswered() {
		RedisConnectionFactory direct = DriverUnderTest.JEDIS.connect(server);
		try (LockConnections own = LockConnections.of(direct, RedisStoreSettings.DEFAULTS);
				ScriptRunner scripts = own.scripts().scripts((key) -> "", () -> {
				})) {
			Awaitility.await().until(() -> isAnsweredOnThisThread(scripts));
			server.ask("CLIENT", "KILL", "TYPE", "normal");
			assertThat(onThisThread(scripts, "again")).succeedsWithin(Patience.CEILING);
			Awaitility.await().until(() -> isAnsweredOnThisThread(scripts));
		}
		DriverUnderTest.close(direct);
	}

	/**
	 * A checkpoint finds no open file, and a lock is not to be had. On a server of its
	 * own, where no connection of another test comes or goes.
	 */
	@Test
	void commandWhenTheConnectionsAreStoppedFailsAndNoneIsLeft() {
		try (RedisServer alone = RedisServers.start()) {
			RedisConnectionFactory direct = DriverUnderTest.JEDIS.connect(alone);
			try (LockConnections own = LockConnections.of(direct, RedisStoreSettings.DEFAULTS);
					ScriptRunner scripts = own.scripts().scripts((key) -> "", () -> {
					})) {
				Awaitility.await().until(() -> isAnsweredOnThisThread(scripts));
				assertThat(DriverUnderTest.connections(alone)).isPositive();
				own.stop();
				assertThat(onThisThread(scripts, "again")).failsWithin(Patience.CEILING);
				Awaitility.await().until(() -> DriverUnderTest.connections(alone) == 0);
				own.start();
				Awaitility.await().until(() -> isAnsweredOnThisThread(scripts));
			}
			Awaitility.await().until(() -> DriverUnderTest.connections(alone) == 0);
			DriverUnderTest.close(direct);
		}
	}

	/** A slow machine takes too long for that; no answer is ever another one. */
	private static boolean isAnsweredOnThisThread(ScriptRunner scripts) {
		CompletableFuture<Object> answer = onThisThread(scripts, "again");
		boolean answered = answer.isDone() && !answer.isCompletedExceptionally();
		if (answered) {
			assertThat(answer).isCompletedWithValue(7L);
		}
		return answered;
	}

	/** The caller must be free before its socket times out. */
	@Test
	void lockWhenItsConnectionFallsSilentFailsAtTheEndOfItsBudget() throws InterruptedException {
		try (DefaultLockRegistry registry = registry()) {
			LeaseLock lock = registry.getLock(MUTE);
			long start = System.nanoTime();
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> lock.tryLock(200, TimeUnit.MILLISECONDS));
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BEFORE_THE_SOCKET);
			assertThat(registry.getLock("another").tryLock(20, TimeUnit.SECONDS)).isTrue();
		}
	}

	/** A thread that reads from a socket does not notice an interrupt. */
	@Test
	void lockWhenInterruptedWhileItsConnectionIsSilentEnds() throws InterruptedException {
		try (DefaultLockRegistry registry = registry()) {
			CompletableFuture<Throwable> end = new CompletableFuture<>();
			Thread caller = new Thread(() -> {
				try {
					registry.getLock(MUTE).lockInterruptibly();
				}
				catch (Throwable ex) {
					end.complete(ex);
				}
			});
			int before = this.mute.silent();
			caller.start();
			Awaitility.await().until(() -> this.mute.silent() > before);
			long start = System.nanoTime();
			caller.interrupt();
			assertThat(end).succeedsWithin(Patience.CEILING).isInstanceOf(InterruptedException.class);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BEFORE_THE_SOCKET);
		}
	}

	private DefaultLockRegistry registry() {
		DefaultLockRegistry registry = new DefaultLockRegistry(new RedisLockStore(this.factory, PATIENT));
		for (int i = 0; i < 10; i++) {
			registry.getLock("first").lock();
			registry.getLock("first").unlock();
		}
		return registry;
	}

}
