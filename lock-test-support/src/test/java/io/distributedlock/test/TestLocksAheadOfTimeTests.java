package io.distributedlock.test;

import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.DistributedLockDisabledAutoConfiguration;
import io.distributedlock.test.AutoConfigureTestLocks.Replace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import org.springframework.aot.AotDetector;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.test.generate.CompilerFiles;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.SpringProperties;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.aot.TestContextAotGenerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests with {@link AutoConfigureTestLocks} could not be processed ahead of time: the
 * beans had suppliers, for which no code can be generated. Each runs here on the code
 * that is generated for it.
 */
@CompileWithForkedClassLoader
@Isolated("a property of the process says that contexts were generated")
class TestLocksAheadOfTimeTests {

	private static final String ENABLED = "distributed-lock.enabled";

	@Test
	void locksWhenTheContextIsGeneratedAreControlled() {
		generate(InMemory.class, () -> assertControlled(start(InMemory.class)));
	}

	@Test
	void locksWhenTheStoreIsOfTheApplicationAreControlled() {
		generate(InOwnStore.class, () -> assertControlled(start(InOwnStore.class)));
	}

	/** It ran without locks. */
	@Test
	void contextWhenGeneratedWithoutLocksDoesNotStartWithThem() {
		System.setProperty(ENABLED, "false");
		try {
			generate(Switched.class, () -> {
				System.setProperty(ENABLED, "true");
				assertThatThrownBy(() -> start(Switched.class)).rootCause()
					.hasMessageContaining("distributed-lock.enabled=true has no effect")
					.hasMessageContaining("ahead of time");
			});
		}
		finally {
			System.clearProperty(ENABLED);
		}
	}

	private static void generate(Class<?> test, Runnable run) {
		InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
		new TestContextAotGenerator(files).processAheadOfTime(Stream.of(test));
		TestCompiler.forSystem().with(CompilerFiles.from(files)).compile((compiled) -> {
			SpringProperties.setFlag(AotDetector.AOT_ENABLED);
			try {
				run.run();
			}
			finally {
				SpringProperties.setProperty(AotDetector.AOT_ENABLED, null);
			}
		});
	}

	private static ApplicationContext start(Class<?> test) {
		return new TestContextManager(test).getTestContext().getApplicationContext();
	}

	private static void assertControlled(ApplicationContext application) {
		TestLocks locks = application.getBean(TestLocks.class);
		LockRegistry registry = application.getBean(LockRegistry.class);
		LockRequest request = LockRequest.of("orders", "42");
		Lease other = locks.hold(request);
		assertThat(registry.tryAcquire(request)).isEmpty();
		other.close();
		try (Lease own = registry.acquire(request)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> locks.hold(request));
			locks.expire("orders", "42");
			assertThat(own.isHeld()).isFalse();
		}
	}

	@SpringBootTest(classes = Locks.class,
			properties = { "distributed-lock.store=redis", "distributed-lock.locks.orders.when-lost=ignore" })
	@AutoConfigureTestLocks
	static class InMemory {

	}

	@SpringBootTest(classes = Locks.class,
			properties = { "distributed-lock.store=memory", "distributed-lock.locks.orders.when-lost=ignore" })
	@AutoConfigureTestLocks(replace = Replace.NONE)
	static class InOwnStore {

	}

	@SpringBootTest(classes = Locks.class, properties = "distributed-lock.store=memory")
	static class Switched {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, DistributedLockDisabledAutoConfiguration.class })
	static class Locks {

	}

}
