package io.distributedlock.interceptor;

import io.distributedlock.LockMode;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** The messages when an application starts. */
@ExtendWith(OutputCaptureExtension.class)
class StartUpTests {

	private static void start(Class<?>... beans) {
		new GuardedContext().checked().start(beans).close();
	}

	@Test
	void reportWhenDebuggingListsEveryGuardedMethodOnce(CapturedOutput output) {
		report(Reported.class);
		assertThat(output).contains("Methods guarded by a lock: 2")
			.containsOnlyOnce(
					"Reported.buy(java.lang.String): key [#item], name 'stock', registry '', LockOptions[ttl=PT10S, waitFor=PT5S, renew=true")
			.containsOnlyOnce("Reported.count(): key the method itself, name '', registry '', LockOptions[ttl=PT30S");
	}

	@Test
	void reportWhenMoreIsSaidShowsIt(CapturedOutput output) {
		report(SaysMore.class);
		assertThat(output).contains("Methods guarded by a lock: 1")
			.contains("keepFor=PT1M")
			.contains("maxHold=PT2M")
			.contains("whenBusy=FALLBACK")
			.contains("registry 'distributedLockRegistry'");
	}

	@Test
	void reportWhenLocksAreRepeatedHasOneInEachLine(CapturedOutput output) {
		report(Repeated.class);
		assertThat(output.toString().lines().map(String::strip)).filteredOn((line) -> line.contains(": key"))
			.satisfiesExactly((first) -> assertThat(first).contains("key [#p0], name 'outer', "),
					(second) -> assertThat(second).contains("key [#p1], name 'inner', "));
	}

	@Test
	void reportWhenNotExclusiveShowsModeAndPermits(CapturedOutput output) {
		report(Export.class);
		assertThat(output).contains("key ['pdf'], name 'exports'").contains("mode=SEMAPHORE, permits=3");
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
