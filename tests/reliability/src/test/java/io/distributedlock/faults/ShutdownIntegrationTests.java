package io.distributedlock.faults;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.engine.DefaultLockRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The promises of the locks when the application shuts down while a lock is held: row 32
 * of the table of faults.
 */
class ShutdownIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(5);

	/** The longest time that a waiter sleeps before it attempts again. */
	private static final Duration POLL = Duration.ofSeconds(1);

	/** How long closing waits for last answers, and a busy machine. */
	private static final Duration LAST_ANSWERS = Duration.ofSeconds(4);

	private static final Duration BUSY_MACHINE = Duration.ofSeconds(15);

	private static final LockRequest JOB = LockRequest.of("job").ttl(TTL).waitFor(Duration.ofSeconds(20));

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private FaultyRedis redis;

	private DefaultLockRegistry there;

	private AnnotationConfigApplicationContext context;

	private Progress progress;

	@BeforeEach
	void start() {
		this.redis = new FaultyRedis();
		this.there = this.redis.instance();
	}

	@AfterEach
	void stop() throws Exception {
		this.threads.shutdownNow();
		this.context.close();
		this.redis.close();
	}

	/** Row 32: the body ends within the grace period. */
	@Test
	void bodyThatEndsWithinTheGracePeriodKeepsItsLockAndReleasesIt() throws Exception {
		Future<Boolean> running = startJob(Duration.ofSeconds(30));
		LockRegistry registry = this.context.getBean(LockRegistry.class);
		Future<?> closing = this.threads.submit(this.context::close);
		await().until(() -> isClosed(registry));
		Renewal.awaitNext(this.progress.lease);
		assertThat(SingleTry.of(this.there, JOB.waitFor(Duration.ZERO))).isEmpty();
		this.progress.finish.countDown();
		assertThat(running.get()).as("still held at the end of the body").isTrue();
		closing.get();
		SingleTry.answer(() -> this.there.acquire(JOB.waitFor(Duration.ZERO))).close();
	}

	/** Row 32: the body runs on after the grace period. */
	@Test
	void bodyThatRunsOnAfterTheGracePeriodIsToldAndItsLockRunsOut() throws Exception {
		Duration grace = Duration.ofMillis(300);
		Future<Boolean> running = startJob(grace);
		CompletableFuture<Void> told = new CompletableFuture<>();
		this.progress.lease.onLost(() -> told.complete(null));
		long start = System.nanoTime();
		this.context.close();
		long closed = System.nanoTime();
		assertThat(Duration.ofNanos(closed - start)).isBetween(grace, grace.plus(LAST_ANSWERS));
		assertThat(this.progress.lease.isHeld()).isFalse();
		told.orTimeout(10, TimeUnit.SECONDS).join();
		assertThat(SingleTry.of(this.there, JOB.waitFor(Duration.ZERO))).as("its body still runs").isEmpty();
		Lease next = this.there.acquire(JOB);
		assertThat(Duration.ofNanos(System.nanoTime() - closed)).isLessThan(TTL.plus(POLL).plus(BUSY_MACHINE));
		assertThat(next.fencingToken()).isGreaterThan(this.progress.lease.fencingToken());
		this.progress.finish.countDown();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> running.get())
			.havingCause()
			.isInstanceOfSatisfying(LockLostException.class,
					(ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.SHUTDOWN));
		assertThat(next.isHeld()).isTrue();
	}

	/** The application with a body that runs. */
	private Future<Boolean> startJob(Duration grace) throws InterruptedException {
		this.context = new AnnotationConfigApplicationContext();
		this.context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("test", Map.of("redis.host", this.redis.server.host(), "redis.port",
					this.redis.server.port(), "distributed-lock.shutdown.grace-period", grace.toMillis() + "ms")));
		this.context.register(Application.class, Progress.class, Job.class, DistributedLockAutoConfiguration.class);
		this.context.refresh();
		this.progress = this.context.getBean(Progress.class);
		Job job = this.context.getBean(Job.class);
		Future<Boolean> running = this.threads.submit(job::run);
		this.progress.entered.await();
		return running;
	}

	private static boolean isClosed(LockRegistry registry) {
		try {
			registry.acquire(LockRequest.of("probe")).close();
			return false;
		}
		catch (LockRegistryClosedException ex) {
			return true;
		}
	}

	/** The signals between the test and the body. */
	static class Progress {

		final CountDownLatch entered = new CountDownLatch(1);

		final CountDownLatch finish = new CountDownLatch(1);

		volatile Lease lease;

	}

	/** A guarded body that runs until it is told to finish. */
	static class Job {

		private final Progress progress;

		Job(Progress progress) {
			this.progress = progress;
		}

		/** Return whether the lock is still held at the end. */
		@DistributedLock(key = "'job'", ttl = "5s")
		public boolean run() throws InterruptedException {
			this.progress.lease = Lease.current().orElseThrow();
			this.progress.entered.countDown();
			this.progress.finish.await();
			return this.progress.lease.isHeld();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		LettuceConnectionFactory connectionFactory(Environment environment) {
			return new LettuceConnectionFactory(environment.getRequiredProperty("redis.host"),
					environment.getRequiredProperty("redis.port", Integer.class));
		}

	}

}
