package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.LockException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.quartz.SchedulerFactoryBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Code that the application still runs while it shuts down takes its locks: tasks and
 * jobs that the context waits for, and the destruction of beans.
 */
class ShutdownOrderIntegrationTests {

	private static final int TASKS = 10;

	private static RedisServer server;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	private static Work start(String client, Class<?> configuration, String... properties) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues
			.of("spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port(),
					"spring.data.redis.client-type=" + client)
			.and(properties)
			.applyTo(context);
		context.registerBeanDefinition("work", new RootBeanDefinition(Work.class));
		context.register(configuration, BootTypes.REDIS, DistributedLockAutoConfiguration.class);
		context.refresh();
		Work work = context.getBean(Work.class);
		work.context = context;
		return work;
	}

	/** Eight of ten failed, since the registry was closed. */
	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void asyncTasksThatTheContextWaitsForTakeTheirLocks(String client) {
		Work work = start(client, AsyncConfiguration.class);
		for (int i = 0; i < TASKS; i++) {
			work.context.getBean(AsyncTasks.class).run();
		}
		work.close();
		assertThat(work.done).hasSize(TASKS).containsOnly("done");
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void scheduledSweepThatTheContextWaitsForTakesItsLocks(String client) {
		Work work = start(client, SchedulingConfiguration.class);
		await().until(() -> work.begun.getCount() == 0);
		work.close();
		assertThat(work.done).hasSizeGreaterThanOrEqualTo(TASKS).containsOnly("done");
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void jobThatQuartzWaitsForTakesItsLocks(String client) throws Exception {
		Work work = start(client, QuartzConfiguration.class);
		SchedulerFactoryBean scheduler = work.context.getBean(SchedulerFactoryBean.class);
		scheduler.getScheduler().getContext().put("work", work);
		scheduler.getScheduler()
			.scheduleJob(JobBuilder.newJob(SweepJob.class).build(), TriggerBuilder.newTrigger().startNow().build());
		await().until(() -> work.begun.getCount() == 0);
		work.close();
		assertThat(work.done).hasSize(TASKS).containsOnly("done");
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void firstBeanTakesALockInItsDestruction(String client) {
		Work work = start(client, DestructionConfiguration.class);
		work.close();
		assertThat(work.done).containsExactly("done");
		assertThat(work.closed()).isTrue();
	}

	/**
	 * The connections of the application end in phase 0, and later requests are refused.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void lockAfterTheEndOfSharedConnectionsIsRefusedByName(String client) {
		Work work = start(client, DestructionConfiguration.class, "distributed-lock.redis.connection=shared");
		work.close();
		assertThat(work.done).containsExactly(LockRegistryClosedException.class.getSimpleName());
	}

	/** Declared first, so destroyed last of the beans that are not post-processors. */
	static class Work implements DisposableBean {

		private final List<String> done = new CopyOnWriteArrayList<>();

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch closing = new CountDownLatch(1);

		private boolean destroyed;

		private AnnotationConfigApplicationContext context;

		private LockRegistry registry;

		void close() {
			this.registry = this.context.getBean(LockRegistry.class);
			this.context.addApplicationListener((event) -> {
				if (event instanceof ContextClosedEvent) {
					this.closing.countDown();
				}
			});
			this.context.close();
		}

		void awaitClosing() {
			this.begun.countDown();
			try {
				this.closing.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		void lock() {
			assertThat(this.destroyed).isFalse();
			try {
				this.registry.acquire(LockRequest.of("work").waitFor(Duration.ofSeconds(20))).close();
				this.done.add("done");
			}
			catch (LockException ex) {
				this.done.add(ex.getClass().getSimpleName());
			}
		}

		void sweep() {
			awaitClosing();
			for (int i = 0; i < TASKS; i++) {
				lock();
			}
		}

		boolean closed() {
			try {
				this.registry.acquire(LockRequest.of("closed")).close();
				return false;
			}
			catch (LockRegistryClosedException ex) {
				return true;
			}
		}

		@Override
		public void destroy() {
			this.destroyed = true;
		}

	}

	/** Takes its lock by the annotation. */
	static class AsyncTasks {

		private final Work work;

		AsyncTasks(Work work) {
			this.work = work;
		}

		@Async
		@DistributedLock(key = "'task'", waitFor = "20s")
		public void run() {
			this.work.awaitClosing();
			this.work.done.add("done");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncConfiguration {

		@Bean
		ThreadPoolTaskExecutor taskExecutor() {
			ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
			executor.setCorePoolSize(2);
			executor.setWaitForTasksToCompleteOnShutdown(true);
			executor.setAwaitTerminationSeconds(60);
			return executor;
		}

		@Bean
		AsyncTasks asyncTasks(Work work) {
			return new AsyncTasks(work);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class SchedulingConfiguration {

		private final Work work;

		SchedulingConfiguration(Work work) {
			this.work = work;
		}

		@Bean
		ThreadPoolTaskScheduler taskScheduler() {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setWaitForTasksToCompleteOnShutdown(true);
			scheduler.setAwaitTerminationSeconds(60);
			return scheduler;
		}

		@Scheduled(fixedDelay = Long.MAX_VALUE)
		void sweep() {
			this.work.sweep();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class QuartzConfiguration {

		@Bean
		SchedulerFactoryBean quartzScheduler() {
			SchedulerFactoryBean scheduler = new SchedulerFactoryBean();
			scheduler.setWaitForJobsToCompleteOnShutdown(true);
			return scheduler;
		}

	}

	/** Runs on a thread of Quartz. */
	public static class SweepJob implements Job {

		@Override
		public void execute(JobExecutionContext job) {
			try {
				((Work) job.getScheduler().getContext().get("work")).sweep();
			}
			catch (SchedulerException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DestructionConfiguration {

		@Bean
		static DisposableBean last(Work work) {
			return work::lock;
		}

	}

}
