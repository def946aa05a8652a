package io.distributedlock.interceptor;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Guarded methods that the container calls within the object, where no proxy is. They ran
 * without their locks, and nothing said so.
 */
@ExtendWith(OutputCaptureExtension.class)
class ContainerCallbackTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	@ParameterizedTest
	@ValueSource(classes = { PostConstructed.class, PreDestroyed.class, Initializing.class, Disposable.class,
			Injected.class, Named.class, SmartStopped.class, WithInitMethod.class, WithDestroyMethod.class,
			WithInferredMethod.class, Closed.class, OfInterface.class, OfSuperclass.class, Early.class })
	void callbackWhenItIsAnnotatedStopsTheStart(Class<?> bean) {
		this.application.withUserConfiguration(bean)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining("the container calls it within bean '")
				.hasMessageContaining("where no proxy is, since "));
	}

	@Test
	void callbackWhenItStopsTheStartHasNotRun() {
		PostConstructed.ran = false;
		this.application.withBean(PostConstructed.class).run((context) -> assertThat(context).hasFailed());
		assertThat(PostConstructed.ran).isFalse();
	}

	@Test
	void stopWhenTheContainerCallsAnotherOneNamesThat() {
		this.application.withBean(SmartStopped.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("since SmartLifecycle.stop(Runnable) calls it")
				.hasMessageContaining("Annotate stop(Runnable) instead"));
	}

	/** The class may be annotated for its other methods. */
	@Test
	void callbackWhenItsClassIsAnnotatedIsNamedInAWarning(CapturedOutput output) {
		this.application.withBean("guarded", OnClass.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("OnClass.afterPropertiesSet() cannot be guarded")
			.containsOnlyOnce("OnClass.close() cannot be guarded")
			.contains("within bean 'guarded'")
			.doesNotContain("OnClass.init()");
	}

	@ParameterizedTest
	@ValueSource(classes = { CalledByTheContext.class, StoppedWithCallback.class, LifecycleOnClass.class,
			NotAClosable.class, PrototypeThatDestroys.class, Overloaded.class })
	void methodWhenTheContainerCallsTheProxyIsAccepted(Class<?> bean, CapturedOutput output) {
		this.application.withUserConfiguration(bean).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(bean);
		});
		assertThat(output).doesNotContain("cannot be guarded");
	}

	@ParameterizedTest
	@ValueSource(classes = { LazyBean.class, PrototypeBean.class })
	void callbackWhenTheBeanComesLateIsNamedInOneWarning(Class<?> bean, CapturedOutput output) {
		this.application.withBean("late", bean).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).doesNotContain("cannot be guarded");
			context.getBean(bean);
			context.getBean(bean);
		});
		assertThat(output)
			.containsOnlyOnce("init() cannot be guarded by a lock: the container calls it within bean 'late'");
	}

	static class PostConstructed {

		private static boolean ran;

		@PostConstruct
		@DistributedLock
		void init() {
			ran = true;
		}

	}

	static class PreDestroyed {

		@PreDestroy
		@DistributedLock
		void end() {
		}

	}

	static class Initializing implements InitializingBean {

		@Override
		@DistributedLock
		public void afterPropertiesSet() {
		}

	}

	static class Disposable implements DisposableBean {

		@Override
		@DistributedLock
		public void destroy() {
		}

	}

	static class Injected {

		@Autowired
		@DistributedLock
		void use(PreparedByAll bean) {
		}

		static class PreparedByAll {

		}

	}

	static class Named implements BeanNameAware {

		@Override
		@DistributedLock
		public void setBeanName(String name) {
		}

	}

	static class SmartStopped implements SmartLifecycle {

		@Override
		public void start() {
		}

		@Override
		@DistributedLock
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return true;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithInitMethod {

		@Bean(initMethod = "init")
		Worker worker() {
			return new Worker();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithDestroyMethod {

		@Bean(destroyMethod = "init")
		Worker worker() {
			return new Worker();
		}

	}

	static class Worker {

		@DistributedLock
		public void init() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithInferredMethod {

		@Bean
		Shut worker() {
			return new Shut();
		}

	}

	static class Shut {

		@DistributedLock
		public void shutdown() {
		}

	}

	static class Closed implements AutoCloseable {

		@Override
		@DistributedLock
		public void close() {
		}

	}

	interface Startable {

		@DistributedLock
		void begin();

	}

	static class OfInterface implements Startable {

		@Override
		@PostConstruct
		public void begin() {
		}

	}

	static class OfSuperclass extends PostConstructed {

	}

	/** Created by another bean. */
	@Configuration(proxyBeanMethods = false)
	static class Early {

		@Bean
		String user(Initializing bean) {
			return bean.toString();
		}

		@Bean
		@Lazy
		Initializing bean() {
			return new Initializing();
		}

	}

	@DistributedLock
	static class OnClass implements InitializingBean, AutoCloseable {

		@Override
		public void afterPropertiesSet() {
		}

		@PostConstruct
		void init() {
		}

		@Override
		public void close() {
		}

	}

	static class CalledByTheContext implements Lifecycle {

		@Override
		@DistributedLock
		public void start() {
		}

		@Override
		@DistributedLock
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

	static class StoppedWithCallback implements SmartLifecycle {

		@Override
		@DistributedLock
		public void start() {
		}

		@Override
		public void stop() {
		}

		@Override
		@DistributedLock
		public void stop(Runnable callback) {
			callback.run();
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

	@DistributedLock
	static class LifecycleOnClass implements SmartLifecycle {

		@Override
		public void start() {
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

	static class NotAClosable {

		@DistributedLock
		public void close() {
		}

		@DistributedLock
		public void destroy() {
		}

		@DistributedLock
		public void init() {
		}

	}

	@Scope("prototype")
	static class PrototypeThatDestroys implements DisposableBean {

		@Override
		@DistributedLock
		public void destroy() {
		}

	}

	static class Overloaded implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
		}

		@DistributedLock
		public void afterPropertiesSet(String other) {
		}

	}

	@Lazy
	static class LazyBean {

		@PostConstruct
		@DistributedLock
		void init() {
		}

	}

	@Scope("prototype")
	static class PrototypeBean {

		@PostConstruct
		@DistributedLock
		void init() {
		}

	}

}
