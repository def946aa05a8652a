package io.distributedlock.redis.internal.lettuce;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.BootTypes;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.internal.driver.RedisDriver;
import io.distributedlock.redis.internal.driver.Script;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A blocking call on an event loop that answers need waited its whole budget, and blamed
 * Redis.
 */
class LettuceScriptRunnerIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final LockRequest REQUEST = LockRequest.of("order").waitFor(Duration.ofMinutes(10));

	private static RedisServer server;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	private static AnnotationConfigApplicationContext start(String connection) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues
			.of("spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port(),
					"distributed-lock.redis.connection=" + connection)
			.applyTo(context);
		context.register(Guarded.class, BootTypes.REDIS,
				BootTypes.either("data.redis.autoconfigure.DataRedisReactiveAutoConfiguration",
						"autoconfigure.data.redis.RedisReactiveAutoConfiguration"),
				DistributedLockAutoConfiguration.class);
		context.refresh();
		// From here on the store has an answer.
		context.getBean(LockRegistry.class).acquire(LockRequest.of("first")).close();
		return context;
	}

	/** Call on the event loop that has read an answer for the application. */
	private static <T> T onEventLoop(AnnotationConfigApplicationContext context,
			Function<AnnotationConfigApplicationContext, T> call) {
		return eventLoop(context.getBean(ReactiveStringRedisTemplate.class), "lettuce-")
			.map((thread) -> call.apply(context))
			.block(LONG);
	}

	/** An answer that is there when the pipeline wants it comes on another thread. */
	private static Mono<Thread> eventLoop(ReactiveStringRedisTemplate template, String prefix) {
		return template.hasKey("any")
			.map((found) -> Thread.currentThread())
			.filter((thread) -> thread.getName().startsWith(prefix))
			.repeatWhenEmpty((times) -> times);
	}

	private static void assertFree(AnnotationConfigApplicationContext context) {
		context.getBean(LockRegistry.class).acquire(REQUEST.waitFor(LONG)).close();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("calls")
	void callWhenOnAnEventLoopOfTheSharedConnectionIsRefused(String name,
			Function<AnnotationConfigApplicationContext, String> call) {
		try (AnnotationConfigApplicationContext context = start("shared")) {
			assertThatExceptionOfType(LockException.class).isThrownBy(() -> onEventLoop(context, call))
				.withMessageContaining("lock 'order' on thread 'lettuce-")
				.withMessageContaining("distributed-lock.redis.connection=own");
			assertFree(context);
		}
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("calls")
	void callWhenTheLocksHaveEventLoopsOfTheirOwnIsServed(String name,
			Function<AnnotationConfigApplicationContext, String> call) {
		try (AnnotationConfigApplicationContext context = start("own")) {
			assertThat(onEventLoop(context, call)).isEqualTo("order");
		}
	}

	private static Stream<Arguments> calls() {
		return Stream.of(call("acquire", (context) -> key(context.getBean(LockRegistry.class).acquire(REQUEST))),
				call("annotation", (context) -> context.getBean(Guarded.class).guarded()),
				call("lock", (context) -> lock(context, (lock) -> {
					lock.lock();
					return true;
				})), call("tryLock", (context) -> lock(context, LeaseLock::tryLock)), call("template",
						(context) -> context.getBean(LockTemplate.class).execute(REQUEST, (lease) -> lease.key())));
	}

	private static Arguments call(String name, Function<AnnotationConfigApplicationContext, String> call) {
		return arguments(name, call);
	}

	private static String key(Lease lease) {
		try (lease) {
			return lease.key();
		}
	}

	private static String lock(AnnotationConfigApplicationContext context, Function<LeaseLock, Boolean> locking) {
		LeaseLock lock = context.getBean(LockRegistry.class).getLock("order");
		assertThat(locking.apply(lock)).isTrue();
		String key = lock.lease().key();
		lock.unlock();
		return key;
	}

	@Test
	void releaseWhenOnAnEventLoopOfTheSharedConnectionFreesTheLock() {
		try (AnnotationConfigApplicationContext context = start("shared")) {
			Lease lease = context.getBean(LockRegistry.class).acquire(REQUEST);
			Boolean held = onEventLoop(context, (any) -> {
				lease.close();
				return lease.isHeld();
			});
			assertThat(held).isFalse();
			assertFree(context);
		}
	}

	@Test
	void eventLoopOfOwnConnectionsIsOneOnWhichAnswersCome() {
		LettuceConnectionFactory application = new LettuceConnectionFactory(server.host(), server.port());
		application.afterPropertiesSet();
		application.start();
		RedisDriver own = LettuceDriver.of(application).own(LONG);
		LettuceConnectionFactory factory = (LettuceConnectionFactory) own.factory();
		try (ScriptRunner runner = own.scripts((key) -> "", () -> {
		})) {
			assertThat(runner.isAnsweredBy(Thread.currentThread())).isFalse();
			Thread eventLoop = eventLoop(new ReactiveStringRedisTemplate(factory), "distributed-lock-lettuce")
				.block(LONG);
			ScriptCall call = new ScriptCall(new Script("return 1".getBytes(StandardCharsets.UTF_8)),
					new byte[][] { { 1 } }, new byte[0][]);
			runner.run(call);
			assertThat(call).succeedsWithin(LONG).isEqualTo(1L);
			assertThat(runner.isAnsweredBy(eventLoop)).isTrue();
			assertThat(runner.isAnsweredBy(Thread.currentThread())).isFalse();
		}
		finally {
			factory.destroy();
			application.destroy();
		}
	}

	/** A blocking method, called from a reactive pipeline. */
	static class Guarded {

		@DistributedLock(key = "'order'", waitFor = "10m")
		public String guarded() {
			return Lease.current().map(Lease::key).orElse("none");
		}

	}

}
