package io.distributedlock.jobs;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenBusy;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A job that is scheduled on ten instances whose clocks differ runs on one of them each
 * time, however short it is.
 */
class ScheduledJobIntegrationTests {

	private static final int INSTANCES = 10;

	private static final int TICKS = 3;

	/** The time that the clock of an instance is ahead of that of the one before. */
	private static final Duration SKEW = Duration.ofMillis(35);

	private static final Duration CONNECT = Duration.ofSeconds(20);

	private final RedisServer server = RedisServers.start();

	private final List<AutoCloseable> instances = new ArrayList<>();

	private final Runs runs = new Runs();

	@AfterEach
	void stop() throws Exception {
		for (AutoCloseable instance : this.instances) {
			instance.close();
		}
		this.server.close();
	}

	@Test
	void jobWhenKeptRunsOncePerTickOnAllInstancesTogether() {
		for (int i = 0; i < INSTANCES; i++) {
			start(Clock.offset(Clock.systemUTC(), SKEW.multipliedBy(i)));
		}
		this.runs.kept.clear();
		this.runs.released.clear();
		await().until(() -> this.runs.kept.size() > TICKS + 1);
		long first = this.runs.kept.get(1);
		assertThat(this.runs.kept.subList(1, TICKS + 1))
			.containsExactlyElementsOf(LongStream.range(first, first + TICKS).boxed().toList());
		assertThat(this.runs.released.stream().filter((tick) -> tick >= first && tick < first + TICKS))
			.as("the control: a lock that is only held while the job runs does not do")
			.hasSizeGreaterThan(TICKS);
	}

	private void start(Clock clock) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("instance", Map.of("distributed-lock.key-prefix", "jobs:")));
		context.registerBean(Clock.class, () -> clock);
		context.registerBean(Runs.class, () -> this.runs);
		context.registerBean(RedisServer.class, () -> this.server, (definition) -> definition.setDestroyMethodName(""));
		context.register(Instance.class, Job.class, DistributedLockAutoConfiguration.class);
		context.refresh();
		this.instances.add(context);
		// Connects: that may take longer than a job waits for an answer.
		context.getBean(LockRegistry.class).acquire(LockRequest.of("warm-up").waitFor(CONNECT)).close();
	}

	/** The ticks in which the jobs ran, on whatever instance. */
	static class Runs {

		final List<Long> kept = new CopyOnWriteArrayList<>();

		final List<Long> released = new CopyOnWriteArrayList<>();

	}

	static class Job {

		/**
		 * A run that is late by less than half the period is not taken for the next one.
		 */
		private static final String EVERY_FOUR_SECONDS = "*/4 * * * * *";

		private final Clock clock;

		private final Runs runs;

		Job(Clock clock, Runs runs) {
			this.clock = clock;
			this.runs = runs;
		}

		@Scheduled(cron = EVERY_FOUR_SECONDS)
		@DistributedLock(keepFor = "2s")
		public void kept() {
			run(this.runs.kept);
		}

		@Scheduled(cron = EVERY_FOUR_SECONDS)
		@DistributedLock(waitFor = "0", whenBusy = WhenBusy.SKIP)
		public void released() {
			run(this.runs.released);
		}

		private void run(List<Long> ticks) {
			ticks.add(Math.floorDiv(this.clock.millis() + 100, 4000));
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Instance {

		@Bean
		ThreadPoolTaskScheduler taskScheduler(Clock clock) {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setPoolSize(2);
			scheduler.setClock(clock);
			return scheduler;
		}

		@Bean
		LettuceConnectionFactory connectionFactory(RedisServer server) {
			return new LettuceConnectionFactory(new RedisStandaloneConfiguration(server.host(), server.port()),
					LettuceClientConfiguration.builder().shutdownQuietPeriod(Duration.ZERO).build());
		}

	}

}
