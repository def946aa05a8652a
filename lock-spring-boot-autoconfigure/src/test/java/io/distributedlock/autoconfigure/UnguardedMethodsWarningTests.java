package io.distributedlock.autoconfigure;

import io.distributedlock.LockInspector;
import io.distributedlock.LockRegistry;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications without the auto-configuration, as tests of slices are: annotated methods
 * ran without a lock and nothing said so.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnguardedMethodsWarningTests {

	private static final String STORE = "--distributed-lock.store=memory";

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

	/** The marker of the parent was taken for that of the child. */
	@Test
	void startWhenAChildHasNoLocksWarnsWithItsBeans(CapturedOutput output) {
		try (ConfigurableApplicationContext child = builder(Locks.class)
			.child(OfInterface.class, LateBeans.class, Free.class)
			.web(WebApplicationType.NONE)
			.run(STORE)) {
			assertThat(child.getBean(OfInterface.class)).isExactlyInstanceOf(OfInterface.class);
		}
		assertThat(output).containsOnlyOnce("WITHOUT")
			.contains("run WITHOUT a lock, because the locks of its parent do not reach its beans: "
					+ "[lazy (%s), object (%s), prototype (%s), unguardedMethodsWarningTests.OfInterface (%s)]. "
						.formatted(Guarded.class.getName(), Guarded.class.getName(), Guarded.class.getName(),
								OfInterface.class.getName()))
			.contains("Declare them in the parent context, or import DistributedLockAutoConfiguration into the child.");
	}

	@Test
	void startWhenAChildIsMadeByHandWarns(CapturedOutput output) {
		try (ConfigurableApplicationContext parent = builder(Locks.class).run(STORE)) {
			child(parent, OfInterface.class, Free.class).close();
		}
		assertThat(output).containsOnlyOnce("WITHOUT")
			.contains("OfInterface (%s)]".formatted(OfInterface.class.getName()));
	}

	@Test
	void startWhenAChildNeedsNoLocksOrHasItsOwnWarnsOfNothing(CapturedOutput output) {
		try (ConfigurableApplicationContext parent = builder(Locks.class).run(STORE)) {
			child(parent, Free.class).close();
			child(parent, Locks.class).close();
		}
		assertThat(output).doesNotContain("WITHOUT");
	}

	/** The advisor of the parent was taken for that of the child. */
	@Test
	void startWhenParentAndChildHaveLocksGuardsBothByOneRegistry() {
		try (ConfigurableApplicationContext parent = builder(Locks.class).run(STORE);
				ConfigurableApplicationContext child = child(parent, Locks.class)) {
			assertThat(child.getBeanNamesForType(LockRegistry.class)).isEmpty();
			LockInspector registry = parent.getBean(LockInspector.class);
			for (ConfigurableApplicationContext context : new ConfigurableApplicationContext[] { parent, child }) {
				assertThat(context.getBean(Guarded.class).isHeldIn(registry)).isTrue();
			}
		}
	}

	/** This kind of creator looks for advisors in the parent. */
	@Test
	void startWhenAChildMakesProxiesItselfWarnsOfNothing(CapturedOutput output) {
		try (ConfigurableApplicationContext parent = builder(Locks.class).run(STORE);
				ConfigurableApplicationContext child = child(parent, DefaultAdvisorAutoProxyCreator.class,
						OfInterface.class, LateBeans.class)) {
			for (String name : child.getBeanNamesForType(Guarded.class)) {
				assertThat(AopUtils.isAopProxy(child.getBean(name))).isEqualTo(!name.equals("object"));
			}
		}
		assertThat(output).containsOnlyOnce("WITHOUT").contains("[object (%s)]".formatted(Guarded.class.getName()));
	}

	@Test
	void startWhenTheLocksOfTheParentAreDisabledDoesNotWarnTwice(CapturedOutput output) {
		builder(Locks.class).child(OfInterface.class)
			.web(WebApplicationType.NONE)
			.run("--distributed-lock.enabled=false")
			.close();
		assertThat(output).doesNotContain("WITHOUT").containsOnlyOnce("run without a lock");
	}

	@Test
	void startWhenNeitherParentNorChildHasLocksWarnsOnceForEach(CapturedOutput output) {
		builder(Guarded.class).child(OfInterface.class).web(WebApplicationType.NONE).run().close();
		assertThat(output).containsOnlyOnce("context: [%s]".formatted(Guarded.class.getName()))
			.containsOnlyOnce("context: [%s]".formatted(OfInterface.class.getName()));
	}

	private static ConfigurableApplicationContext child(ConfigurableApplicationContext parent, Class<?>... beans) {
		AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
		child.setParent(parent);
		child.register(beans);
		child.refresh();
		return child;
	}

	private static SpringApplicationBuilder builder(Class<?>... sources) {
		return new SpringApplicationBuilder(sources).web(WebApplicationType.NONE);
	}

	private static void run(Class<?>... sources) {
		run(new String[] { STORE }, sources);
	}

	private static void run(String[] arguments, Class<?>... sources) {
		builder(sources).run(arguments).close();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, DistributedLockDisabledAutoConfiguration.class })
	@Import(Guarded.class)
	static class Locks {

	}

	static class Guarded {

		@DistributedLock("'guarded'")
		public boolean isHeldIn(LockInspector registry) {
			return registry.isLocked("", "guarded");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LateBeans {

		@Bean
		@Lazy
		Guarded lazy() {
			return new Guarded();
		}

		@Bean
		@Scope("prototype")
		Guarded prototype() {
			return new Guarded();
		}

		@Bean
		static BeanFactoryPostProcessor registering() {
			return (beanFactory) -> beanFactory.registerSingleton("object", new Guarded());
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
