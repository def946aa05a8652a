package io.distributedlock.interceptor;

import io.distributedlock.LockMode;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.interceptor.startup.GuardedMethodsReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationBeanPostProcessor;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;

/** What is said when an application starts. */
@ExtendWith(OutputCaptureExtension.class)
class StartUpTests {

	private static void start(Class<?>... beans) {
		new GuardedContext().checked().start(beans).close();
	}

	@Test
	void asyncWhenItIsInsideTheLockIsWarnedOf(CapturedOutput output) {
		start(LateAsync.class, AsyncAndGuarded.class);
		assertThat(output).contains("is inside the lock, so the lock is waited for on the thread of the caller");
	}

	@Test
	void asyncWhenItIsAroundTheLockIsNotWarnedOf(CapturedOutput output) {
		start(EarlyAsync.class, AsyncAndGuarded.class);
		assertThat(output).doesNotContain("on the thread of the caller");
	}

	@Test
	void reportWhenDebuggingListsEveryGuardedMethodOnce(CapturedOutput output) {
		report(Reported.class);
		assertThat(output).contains("Methods guarded by a lock: 2")
			.containsOnlyOnce("Reported.buy(java.lang.String): key [#item], name 'stock', ttl PT10S renewed, wait PT5S")
			.containsOnlyOnce("Reported.count(): key the method itself, ttl PT30S renewed");
		assertThat(output).doesNotContain("name ''").doesNotContain("keepFor").doesNotContain("registry");
	}

	@Test
	void reportWhenMoreIsSaidShowsIt(CapturedOutput output) {
		report(SaysMore.class);
		assertThat(output).contains("Methods guarded by a lock: 1")
			.contains("keepFor PT1M")
			.contains("maxHold PT2M")
			.contains("condition #wanted")
			.contains("whenBusy FALLBACK")
			.contains("fallback instead")
			.contains("registry distributedLockRegistry");
	}

	@Test
	void reportWhenLocksAreRepeatedHasOneInEachLine(CapturedOutput output) {
		report(Repeated.class);
		assertThat(output.toString().lines().map(String::strip)).filteredOn((line) -> line.startsWith("- key"))
			.satisfiesExactly((first) -> assertThat(first).startsWith("- key [#p0], name 'outer', ttl"),
					(second) -> assertThat(second).startsWith("- key [#p1], name 'inner', ttl"));
	}

	@Test
	void reportWhenNotExclusiveShowsModeAndPermits(CapturedOutput output) {
		report(Export.class);
		assertThat(output).contains("key ['pdf'], name 'exports', mode SEMAPHORE, permits 3, ttl PT30S renewed");
	}

	@Test
	void permitsWhenOneExpressionHasTwoLimitsIsWarnedOf(CapturedOutput output) {
		start(Limits.class);
		assertThat(output).containsOnlyOnce("Where both yield the same key, a call fails")
			.contains("key #customer and name 'exports' in mode SEMAPHORE with permits ");
	}

	@Test
	void permitsWhenOneExpressionIsALockAsWellIsWarnedOf(CapturedOutput output) {
		start(Mixture.class);
		assertThat(output).containsOnlyOnce("Where both yield the same key, a call fails");
	}

	@Test
	void permitsWhenLocksDifferIsNotWarnedOf(CapturedOutput output) {
		start(Export.class, Agreed.class);
		assertThat(output).doesNotContain("Where both yield the same key");
	}

	private static void report(Class<?> bean) {
		LoggingSystem logging = LoggingSystem.get(StartUpTests.class.getClassLoader());
		logging.setLogLevel(GuardedMethodsReport.class.getName(), LogLevel.DEBUG);
		try {
			start(bean);
		}
		finally {
			logging.setLogLevel(GuardedMethodsReport.class.getName(), null);
		}
	}

	@Test
	void reportWhenNotDebuggingIsSilent(CapturedOutput output) {
		start(Reported.class);
		assertThat(output).doesNotContain("Methods guarded by a lock");
	}

	static class SaysMore {

		@DistributedLock(key = "#id", keepFor = "1m", maxHold = "2m", condition = "#wanted", fallback = "instead",
				registry = "distributedLockRegistry")
		public void say(String id, boolean wanted) {
		}

		void instead(String id, boolean wanted) {
		}

	}

	static class Repeated {

		@DistributedLock(name = "outer", key = "#p0")
		@DistributedLock(name = "inner", key = "#p1")
		public void settle(String order, String customer) {
		}

	}

	static class Export {

		@DistributedLock(name = "exports", key = "'pdf'", mode = LockMode.SEMAPHORE, permits = 3)
		public void pdf() {
		}

	}

	static class Limits {

		@DistributedLock(name = "exports", key = "#customer", mode = LockMode.SEMAPHORE, permits = 3)
		public void pdf(String customer) {
		}

		@DistributedLock(name = "exports", key = "#customer", mode = LockMode.SEMAPHORE, permits = 2)
		public void csv(String customer) {
		}

	}

	static class Mixture {

		@DistributedLock(name = "exports", key = "#customer", mode = LockMode.SEMAPHORE, permits = 3)
		public void pdf(String customer) {
		}

		@DistributedLock(name = "exports", key = "#customer", mode = LockMode.READ)
		public void read(String customer) {
		}

		@DistributedLock(name = "exports", key = "#customer", mode = LockMode.SEMAPHORE, permits = 2)
		public void csv(String customer) {
		}

	}

	static class Agreed {

		@DistributedLock(name = "mails", key = "#customer", mode = LockMode.SEMAPHORE, permits = 2)
		public void mail(String customer) {
		}

		@DistributedLock(name = "mails", key = "#customer", mode = LockMode.SEMAPHORE, permits = 2)
		public void remind(String customer) {
		}

		@DistributedLock(name = "customers", key = "#customer")
		public void change(String customer) {
		}

		@DistributedLock(name = "customers", key = "#customer", mode = LockMode.READ)
		public void read(String customer) {
		}

	}

	static class AsyncAndGuarded {

		@Async
		@DistributedLock
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class EarlyAsync {

	}

	/** Puts the advice behind those that are there. */
	static class LateAsync extends AsyncAnnotationBeanPostProcessor implements Ordered {

		LateAsync() {
			setBeforeExistingAdvisors(false);
			setProxyTargetClass(true);
		}

	}

	interface Shop {

		@DistributedLock(name = "stock", key = "#item", ttl = "10s")
		void buy(String item);

	}

	static class Reported implements Shop {

		@Override
		public void buy(String item) {
		}

		@DistributedLock
		public int count() {
			return 0;
		}

	}

}
