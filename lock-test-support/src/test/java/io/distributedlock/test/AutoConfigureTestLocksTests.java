package io.distributedlock.test;

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestContextManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The messages for an application that {@link AutoConfigureTestLocks} does not suit. */
@ExtendWith(OutputCaptureExtension.class)
class AutoConfigureTestLocksTests {

	/** The bean of the library's profiles was said to be missing, by the first call. */
	@Test
	void contextWhenItHasNoLocksNamesTheAutoConfiguration() {
		assertThatThrownBy(() -> start(WithoutLocks.class)).rootCause()
			.isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)");
	}

	@Test
	void contextWhenItHasAStoreOfItsOwnNamesTheAttribute() {
		assertThatThrownBy(() -> start(OwnStore.class)).rootCause()
			.hasMessageContaining("@AutoConfigureTestLocks(replace = NONE)");
	}

	/** It said that the store of the application has no effect, in each context. */
	@Test
	void contextWhenTheApplicationNamesAStoreWarnsOfNothing(CapturedOutput output) {
		start(NamedStore.class);
		assertThat(output).contains("Distributed locks of this process").doesNotContain("has no effect");
	}

	private static void start(Class<?> test) {
		new TestContextManager(test).getTestContext().getApplicationContext();
	}

	@SpringBootTest(classes = WithoutLocks.Nothing.class)
	@AutoConfigureTestLocks
	static class WithoutLocks {

		@Configuration(proxyBeanMethods = false)
		static class Nothing {

		}

	}

	@SpringBootTest(classes = NamedStore.Locks.class, properties = "distributed-lock.store=redis")
	@AutoConfigureTestLocks
	static class NamedStore {

		@Configuration(proxyBeanMethods = false)
		@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
		static class Locks {

		}

	}

	@SpringBootTest(classes = OwnStore.Store.class)
	@AutoConfigureTestLocks
	static class OwnStore {

		@Configuration(proxyBeanMethods = false)
		@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
		static class Store {

			@Bean
			LockStore distributedLockStore() {
				return new MemoryLockStore();
			}

		}

	}

}
