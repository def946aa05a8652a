package io.distributedlock.interceptor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;

import io.distributedlock.Lease;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import org.aopalliance.aop.Advice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Beans whose guarded methods have no proxy ran without their locks, and nothing said so.
 */
@ExtendWith(OutputCaptureExtension.class)
class GuardedBeansCheckTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	@ParameterizedTest
	@ValueSource(classes = { NeededByPriorityOrdered.class, NeededByOrdered.class, FetchedByFactoryPostProcessor.class,
			ProductNeededByOrdered.class, WrappedEarly.class })
	void beanWhenItWasMadeBeforeTheLocksStopsTheStart(Class<?> configuration) {
		this.application.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining(
						"guarded() cannot be guarded by a lock: bean 'guarded' has no proxy with the lock, "
								+ "since it was created before the locks")
				.hasMessageContaining("ObjectProvider"));
	}

	@Test
	void beanWhenItIsARegisteredObjectStopsTheStart() {
		this.application.withInitializer(registering(new Guarded()))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining("bean 'guarded' has no proxy with the lock, since it was registered as an object")
				.hasMessageContaining("registerBean"));
	}

	@Test
	void beanWhenSpringMakesNoProxyForItsClassStopsTheStart() {
		this.application.withBean("guarded", GuardedAdvice.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining("bean 'guarded' has no proxy with the lock, since its class belongs to"));
	}

	@ParameterizedTest
	@ValueSource(classes = { Circular.class, Scoped.class, ScopedByInterface.class, Product.class, Prototype.class,
			LazyBean.class, LazilyNeeded.class, WrappedByProxy.class, WrappedByFactory.class, WrappedOpaquely.class,
			AsyncToo.class, GuardedConfiguration.class, Decorated.class, NeededByUnordered.class })
	void beanWhenItIsGuardedInItsWayIsAccepted(Class<?> configuration, CapturedOutput output) {
		for (boolean proxyTargetClass : new boolean[] { true, false }) {
			this.application.withUserConfiguration(configuration)
				.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
				.withAllowCircularReferences(true)
				.withInitializer((context) -> context.getBeanFactory().registerScope("thread", new SimpleThreadScope()))
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(context.getBean("guarded", Guardable.class).guarded()).isTrue();
				});
		}
		assertThat(output).doesNotContain("cannot be guarded");
	}

	/** Its code does not run. */
	@Test
	void mockWhenItTakesThePlaceOfABeanIsAccepted() {
		for (Guardable mock : new Guardable[] { mock(Guarded.class), mock(Keyed.class), mock(Guardable.class) }) {
			this.application.withInitializer(registering(mock)).run((context) -> assertThat(context).hasNotFailed());
		}
	}

	private static ApplicationContextInitializer<ConfigurableApplicationContext> registering(Object bean) {
		return (context) -> context.getBeanFactory().registerSingleton("guarded", bean);
	}

	interface Guardable {

		@DistributedLock
		default boolean guarded() {
			return Lease.current().isPresent();
		}

	}

	static class Guarded implements Guardable {

		@Override
		public boolean guarded() {
			return Lease.current().isPresent();
		}

	}

	static class Keyed implements Guardable {

		@DistributedLock("#key")
		public void keyed(String key) {
		}

	}

	static class GuardedAdvice implements Advice {

		@DistributedLock
		public void guarded() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class GuardedBean {

		@Bean
		Guardable guarded() {
			return new Guarded();
		}

	}

	static class Needing implements BeanPostProcessor {

		Needing(Guardable guarded) {
		}

	}

	static class PriorityOrderedNeeding extends Needing implements PriorityOrdered {

		PriorityOrderedNeeding(Guardable guarded) {
			super(guarded);
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	static class OrderedNeeding extends Needing implements Ordered {

		OrderedNeeding(Guardable guarded) {
			super(guarded);
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Import(GuardedBean.class)
	static class NeededByPriorityOrdered {

		@Bean
		static PriorityOrderedNeeding needing(Guardable guarded) {
			return new PriorityOrderedNeeding(guarded);
		}

	}

	@Import({ OrderedNeeding.class, GuardedBean.class })
	static class NeededByOrdered {

	}

	@Import({ Needing.class, GuardedBean.class })
	static class NeededByUnordered {

	}

	@Import(GuardedBean.class)
	static class FetchedByFactoryPostProcessor {

		@Bean
		static BeanFactoryPostProcessor fetching() {
			return (beanFactory) -> beanFactory.getBean("guarded");
		}

	}

	static class Factory implements FactoryBean<Guardable> {

		@Override
		public Guardable getObject() {
			return new Guarded();
		}

		@Override
		public Class<?> getObjectType() {
			return Guardable.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Product {

		@Bean
		static Factory guarded() {
			return new Factory();
		}

	}

	@Import({ OrderedNeeding.class, Product.class })
	static class ProductNeededByOrdered {

	}

	/** A proxy, but not one with the lock. */
	@Import({ OrderedNeeding.class, GuardedBean.class })
	static class WrappedEarly {

		@Bean
		static BeanPostProcessor wrapping() {
			return new Wrapping((bean) -> new ProxyFactory(bean).getProxy(), 0) {
			};
		}

	}

	static class Wrapping implements BeanPostProcessor, PriorityOrdered {

		private final UnaryOperator<Object> wrapper;

		private final int order;

		Wrapping(UnaryOperator<Object> wrapper, int order) {
			this.wrapper = wrapper;
			this.order = order;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof Guardable) ? this.wrapper.apply(bean) : bean;
		}

		@Override
		public int getOrder() {
			return this.order;
		}

	}

	static class WrappingLater implements BeanPostProcessor {

		private final UnaryOperator<Object> wrapper;

		WrappingLater(UnaryOperator<Object> wrapper) {
			this.wrapper = wrapper;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof Guardable) ? this.wrapper.apply(bean) : bean;
		}

	}

	@Import(GuardedBean.class)
	static class WrappedByProxy {

		@Bean
		static BeanPostProcessor wrapping() {
			return new WrappingLater((bean) -> Proxy.newProxyInstance(Guardable.class.getClassLoader(),
					new Class<?>[] { Guardable.class }, (proxy, method, arguments) -> {
						try {
							return method.invoke(bean, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getTargetException();
						}
					}));
		}

	}

	@Import(GuardedBean.class)
	static class WrappedByFactory {

		@Bean
		static BeanPostProcessor wrapping() {
			return new WrappingLater((bean) -> new ProxyFactory(bean).getProxy());
		}

	}

	@Import(GuardedBean.class)
	static class WrappedOpaquely {

		@Bean
		static BeanPostProcessor wrapping() {
			return new WrappingLater((bean) -> {
				ProxyFactory factory = new ProxyFactory(bean);
				factory.setOpaque(true);
				return factory.getProxy();
			});
		}

	}

	@Import(GuardedBean.class)
	static class Decorated {

		@Bean
		static BeanPostProcessor wrapping() {
			return new WrappingLater((bean) -> new Guardable() {

				@Override
				public boolean guarded() {
					return ((Guardable) bean).guarded();
				}

			});
		}

	}

	static class Second {

		@Autowired
		private Inside first;

	}

	interface Inside {

		boolean guardedInside();

	}

	static class CircularFirst implements Guardable, Inside {

		@Autowired
		private Second second;

		@Override
		public boolean guarded() {
			return this.second.first.guardedInside() && Lease.current().isPresent();
		}

		@Override
		public boolean guardedInside() {
			return true;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Second.class)
	static class Circular {

		@Bean
		CircularFirst guarded() {
			return new CircularFirst();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Scoped {

		@Bean
		@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Guarded guarded() {
			return new Guarded();
		}

		@Bean
		String user(Guardable guarded) {
			return "user";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedByInterface {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.INTERFACES)
		Guardable guarded() {
			return new Guarded();
		}

		@Bean
		String user(Guardable guarded) {
			return "user";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Prototype {

		@Bean
		@Scope("prototype")
		Guardable guarded() {
			return new Guarded();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBean {

		@Bean
		@Lazy
		Guardable guarded() {
			return new Guarded();
		}

	}

	@Import(GuardedBean.class)
	static class LazilyNeeded {

		@Bean
		static PriorityOrderedNeeding needing(@Lazy Guardable guarded, ObjectProvider<Guardable> provider) {
			return new PriorityOrderedNeeding(guarded);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncToo {

		@Bean
		Guardable guarded() {
			return new WithAsync();
		}

	}

	static class WithAsync extends Guarded {

		@Async
		public void later() {
		}

	}

	@Configuration("guarded")
	static class GuardedConfiguration implements Guardable {

		@Bean
		String some() {
			return "some";
		}

	}

}
