package io.distributedlock.hostile;

import java.util.function.Consumer;

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.interceptor.InvalidLockDeclarationException;
import io.distributedlock.memory.MemoryLockStore;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with the memory store, started with beans or settings that no application
 * should have.
 */
final class HostileApplication {

	static final ApplicationContextRunner RUNNER = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.shutdown.grace-period=0")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	private HostileApplication() {
	}

	/** Use a guarded bean, which must leave nothing locked. */
	static <T> void run(Class<T> type, Consumer<T> test) {
		RUNNER.withBean(type).run((context) -> {
			test.accept(context.getBean(type));
			assertNothingLocked(context);
		});
	}

	static void assertNothingLocked(ApplicationContext context) {
		assertThat(new HostileMemory(context.getBean(MemoryLockStore.class).locks()).held()).as("left locked").isZero();
	}

	/** Calls that are refused must not even have asked the store. */
	static <T> void runRefused(Class<T> type, Consumer<T> test) {
		RUNNER.withBean(type).run((context) -> {
			test.accept(context.getBean(type));
			assertThat(context.getBean(MemoryLockStore.class).locks().size()).as("locks").isZero();
		});
	}

	/** A guarded bean has kept its application from starting, with these words. */
	static void assertRefused(Throwable failure, Class<?> type, String problem, String remedy) {
		assertThat(failure).as("started").isNotNull();
		Throwable cause = failure;
		while (!(cause instanceof InvalidLockDeclarationException) && cause.getCause() != null) {
			cause = cause.getCause();
		}
		assertThat(cause).isInstanceOf(InvalidLockDeclarationException.class)
			.hasMessageContaining(type.getName() + ".guarded(")
			.hasMessageContaining(problem);
		assertThat(((InvalidLockDeclarationException) cause).getRemedy()).hasSizeGreaterThan(10).contains(remedy);
	}

}
