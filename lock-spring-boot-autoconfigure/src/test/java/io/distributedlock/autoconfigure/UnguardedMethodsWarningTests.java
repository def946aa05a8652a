package io.distributedlock.autoconfigure;

import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications without the auto-configuration, as tests of slices are: annotated methods
 * ran without a lock and nothing said so.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnguardedMethodsWarningTests {

	@Test
	void startWhenAnnotatedMethodsHaveNoLockWarnsWithTheirClasses(CapturedOutput output) {
		run(Guarded.class, Repeated.class, OfInterface.class, Free.class);
		assertThat(output)
			.containsOnlyOnce("run WITHOUT a lock, because the auto-configuration of the locks is not part of this "
					+ "application context: [%s, %s, %s]. ".formatted(Guarded.class.getName(),
							OfInterface.class.getName(), Repeated.class.getName()))
			.contains("@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)",
					"distributed-lock.store=memory");
	}

	@Test
	void startWhenNothingIsAnnotatedWarnsOfNothing(CapturedOutput output) {
		run(Free.class);
		assertThat(output).doesNotContain("WITHOUT");
	}

	@Test
	void startWhenLocksAreThereWarnsOfNothing(CapturedOutput output) {
		run(Locks.class);
		assertThat(output).doesNotContain("WITHOUT");
	}

	/** The disabled locks have a warning of their own. */
	@Test
	void startWhenLocksAreDisabledDoesNotWarnTwice(CapturedOutput output) {
		run(new String[] { "--distributed-lock.enabled=false" }, Locks.class);
		assertThat(output).doesNotContain("WITHOUT").containsOnlyOnce("run without a lock");
	}

	private static void run(Class<?>... sources) {
		run(new String[] { "--distributed-lock.store=memory" }, sources);
	}

	private static void run(String[] arguments, Class<?>... sources) {
		new SpringApplicationBuilder(sources).web(WebApplicationType.NONE).run(arguments).close();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, DistributedLockDisabledAutoConfiguration.class })
	@Import(Guarded.class)
	static class Locks {

	}

	static class Guarded {

		@DistributedLock
		public void guarded() {
		}

	}

	static class Repeated {

		@DistributedLock("'a'")
		@DistributedLock("'b'")
		public void guarded() {
		}

	}

	@DistributedLock
	interface Lockable {

		void guarded();

	}

	static class OfInterface implements Lockable {

		@Override
		public void guarded() {
		}

	}

	static class Free {

		public void free() {
		}

	}

}
