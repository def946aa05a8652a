package io.distributedlock.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.WhenBusy;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The lock beside other annotations of Spring on the same method. */
class LockInterceptorOrderTests {

	private final GuardedContext context = new GuardedContext();

	private final List<String> log = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.context.close();
	}

	private <T> T start(Class<T> bean, Class<?>... configuration) {
		this.context.customize((beans) -> {
			beans.registerBean("log", List.class, () -> this.log);
			beans.registerBean("guardedContext", GuardedContext.class, () -> this.context);
			beans.register(configuration);
		});
		return this.context.start(bean).bean(bean);
	}

	private ApplicationEventPublisher publisher() {
		return this.context.bean(Publisher.class).publisher;
	}

	private TransactionTemplate transaction() {
		return new TransactionTemplate(this.context.bean(PlatformTransactionManager.class));
	}

	@Test
	void retryWhenMethodFailsTakesTheLockAfreshForEachTry() {
		Retried retried = start(Retried.class, Resilience.class);
		assertThat(retried.secondTime(0)).isEqualTo(2);
		assertThat(retried.tokens()).doesNotHaveDuplicates().hasSize(2);
	}

	@Test
	void retryWhenLockIsBusyTriesAgain() {
		Retried retried = start(Retried.class, Resilience.class);
		retried.holding(this.context.holdElsewhere("", "busy"));
		assertThat(retried.untilFree()).isEqualTo("free");
	}

	@Test
	void asyncWhenVoidLocksOnTheOtherThread() {
		start(Asynchronous.class, Asynchrony.class).run();
		Awaitility.await().until(() -> this.log.contains("async locked"));
		Awaitility.await().until(() -> !this.context.isLocked("k"));
	}

	@Test
	void asyncWhenFutureIsPendingKeepsTheLock() {
		Asynchronous bean = start(Asynchronous.class, Asynchrony.class);
		CompletableFuture<String> result = bean.later();
		Awaitility.await().until(() -> this.context.isLocked("k"));
		assertThat(result).isNotDone();
		bean.pending().complete("done");
		assertThat(result.join()).isEqualTo("done");
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void asyncWhenLockIsBusyTellsTheFuture() {
		Asynchronous bean = start(Asynchronous.class, Asynchrony.class);
		try (Lease busy = this.context.holdElsewhere("", "k")) {
			assertThat(bean.impatient()).failsWithin(Patience.CEILING)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(LockNotAcquiredException.class);
		}
	}

	@Test
	void cacheWhenInsideTheLockIsFilledOnce() throws Exception {
		Cached cached = start(Cached.class, CacheInside.class);
		CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> cached.slow("a"));
		cached.entered().await();
		CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> cached.slow("a"));
		cached.go().countDown();
		assertThat(List.of(first.join(), second.join())).containsExactly("a1", "a1");
	}

	@Test
	void cacheWhenInsideTheLockIsNotAnsweredFromWhileBusy() {
		Cached cached = start(Cached.class, CacheInside.class);
		cached.quick("a");
		try (Lease busy = this.context.holdElsewhere("", "a")) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> cached.quick("a"));
		}
	}

	@Test
	void cacheWhenAroundTheLockAnswersWithoutIt() {
		Cached cached = start(Cached.class, CacheAround.class);
		cached.quick("a");
		try (Lease busy = this.context.holdElsewhere("", "a")) {
			assertThat(cached.quick("a")).isEqualTo("a1");
		}
	}

	@Test
	void scheduledWhenLockIsKeptRunsOncePerPeriod() {
		start(Job.class, Scheduling.class);
		Awaitility.await().until(() -> this.log.contains("ran locked"));
		long ticked = ticks();
		Awaitility.await().until(() -> ticks() > ticked + 5);
		assertThat(this.log.stream().filter("ran locked"::equals)).hasSize(1);
	}

	private long ticks() {
		return this.log.stream().filter("ticked"::equals).count();
	}

	@Test
	void eventListenerWhenGuardedRunsLockedOnThePublishersThread() {
		start(Listener.class, Publisher.class);
		publisher().publishEvent("7");
		assertThat(this.log).containsExactly("event 7 locked by " + Thread.currentThread().getName());
		assertThat(this.context.isLocked("7")).isFalse();
	}

	@Test
	void eventListenerWhenBusyTellsThePublisher() {
		start(Listener.class, Publisher.class);
		try (Lease busy = this.context.holdElsewhere("", "7")) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> publisher().publishEvent("7"));
			publisher().publishEvent(7);
			assertThat(this.log).isEmpty();
		}
	}

	@Test
	void transactionalListenerWhenAfterCommitIsLockedForItself() {
		start(AfterCommit.class, Publisher.class, Transactions.class);
		transaction().executeWithoutResult((status) -> publisher().publishEvent("7"));
		assertThat(this.log).containsExactly("committed 7 locked");
		assertThat(this.context.isLocked("7")).isFalse();
	}

	@Test
	void transactionalListenerWhenAfterCommitAndBusyLeavesTheCommit() {
		start(AfterCommit.class, Publisher.class, Transactions.class);
		try (Lease busy = this.context.holdElsewhere("", "7")) {
			transaction().executeWithoutResult((status) -> publisher().publishEvent("7"));
			assertThat(this.log).isEmpty();
		}
	}

	@Test
	void transactionalListenerWhenBeforeCommitKeepsTheLockUntilTheEnd() {
		start(BeforeCommit.class, Publisher.class, Transactions.class);
		transaction().executeWithoutResult((status) -> publisher().publishEvent("7"));
		assertThat(this.log).containsExactly("committing 7 locked", "committed, locked");
		assertThat(this.context.isLocked("7")).isFalse();
	}

	private static String locked() {
		return Lease.current().filter(Lease::isHeld).isPresent() ? "locked" : "free";
	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods(proxyTargetClass = true)
	static class Resilience {

	}

	static class Retried {

		private final List<Long> tokens = new CopyOnWriteArrayList<>();

		private Lease held;

		List<Long> tokens() {
			return this.tokens;
		}

		void holding(Lease lease) {
			this.held = lease;
		}

		@Retryable(delay = 1)
		@DistributedLock("'k'")
		public int secondTime(@FencingToken long token) {
			this.tokens.add(token);
			if (this.tokens.size() == 1) {
				throw new IllegalStateException("try again");
			}
			return this.tokens.size();
		}

		@Retryable(includes = LockNotAcquiredException.class, delay = 1)
		@DistributedLock(key = "'busy'", waitFor = "0", fallback = "free")
		public String untilFree() {
			return "free";
		}

		String free(LockNotAcquiredException busy) {
			this.held.close();
			throw busy;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class Asynchrony {

	}

	static class Asynchronous {

		private final CompletableFuture<String> pending = new CompletableFuture<>();

		private final List<String> log;

		Asynchronous(List<String> log) {
			this.log = log;
		}

		CompletableFuture<String> pending() {
			return this.pending;
		}

		@Async
		@DistributedLock("'k'")
		public void run() {
			this.log.add("async " + locked());
		}

		@Async
		@DistributedLock("'k'")
		public CompletableFuture<String> later() {
			return this.pending;
		}

		@Async
		@DistributedLock(key = "'k'", waitFor = "0")
		public CompletableFuture<String> impatient() {
			return this.pending;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true)
	static class CacheInside {

		@Bean
		ConcurrentMapCacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true, order = 0)
	static class CacheAround {

		@Bean
		ConcurrentMapCacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	static class Cached {

		private final CountDownLatch entered = new CountDownLatch(1);

		private final CountDownLatch go = new CountDownLatch(1);

		private int calls;

		CountDownLatch entered() {
			return this.entered;
		}

		CountDownLatch go() {
			return this.go;
		}

		@Cacheable("slow")
		@DistributedLock("#item")
		public String slow(String item) {
			this.entered.countDown();
			try {
				this.go.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			return item + ++this.calls;
		}

		@Cacheable("quick")
		@DistributedLock(key = "#item", waitFor = "0")
		public String quick(String item) {
			return item + ++this.calls;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

	static class Job {

		private final List<String> log;

		Job(List<String> log) {
			this.log = log;
		}

		@Scheduled(fixedRate = 5)
		@DistributedLock(name = "job", keepFor = "1m")
		public void run() {
			this.log.add("ran " + locked());
		}

		@Scheduled(fixedRate = 5)
		public void tick() {
			this.log.add("ticked");
		}

	}

	static class Publisher {

		final ApplicationEventPublisher publisher;

		Publisher(ApplicationEventPublisher publisher) {
			this.publisher = publisher;
		}

	}

	static class Listener {

		private final List<String> log;

		Listener(List<String> log) {
			this.log = log;
		}

		@EventListener
		@DistributedLock(key = "#order", waitFor = "0")
		public void on(String order) {
			this.log.add("event " + order + " " + locked() + " by " + Thread.currentThread().getName());
		}

		@EventListener
		@DistributedLock(key = "#order", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public void on(Integer order) {
			this.log.add("event " + order);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Transactions {

		@Bean
		JdbcTransactionManager transactionManager() {
			return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:advice"));
		}

	}

	static class AfterCommit {

		private final List<String> log;

		AfterCommit(List<String> log) {
			this.log = log;
		}

		@TransactionalEventListener
		@DistributedLock(key = "#order", waitFor = "0")
		public void on(String order) {
			this.log.add("committed " + order + " " + locked());
		}

	}

	static class BeforeCommit {

		private final List<String> log;

		private final GuardedContext context;

		BeforeCommit(List<String> log, GuardedContext context) {
			this.log = log;
			this.context = context;
		}

		@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
		@DistributedLock("#order")
		public void on(String order) {
			this.log.add("committing " + order + " " + locked());
		}

		@TransactionalEventListener
		public void onCommit(String order) {
			this.log.add("committed, " + (this.context.isLocked(order) ? "locked" : "free"));
		}

	}

}
