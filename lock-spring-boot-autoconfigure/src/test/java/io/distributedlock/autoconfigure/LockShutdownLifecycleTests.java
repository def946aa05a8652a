package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.test.store.DelegatingLockStore;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockShutdownLifecycleTests {

	/** The phase of web servers. */
	private static final int GRACEFUL_SHUTDOWN = SmartLifecycle.DEFAULT_PHASE - 1024;

	private static final int WEB_SERVER = GRACEFUL_SHUTDOWN - 1024;

	/** The phase of connection factories. */
	private static final int CONNECTION_FACTORY = 0;

	/** It closed before those that still took locks: tasks, jobs, and the last beans. */
	@Test
	void registryWhenItsStoreIsIndependentEndsAfterAllPhasesAndBeans() {
		List<String> stops = new ArrayList<>();
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		AtomicReference<LockRegistry> registry = new AtomicReference<>();
		context.registerBean("first", DisposableBean.class, () -> () -> stops.add("destroyed" + state(registry.get())));
		start(context, new MemoryLockStore());
		registry.set(context.getBean(LockRegistry.class));
		for (int phase : new int[] { GRACEFUL_SHUTDOWN, WEB_SERVER, CONNECTION_FACTORY, Integer.MIN_VALUE }) {
			context.getBeanFactory()
				.registerSingleton("phase" + phase,
						new Stopping(phase, () -> stops.add(phase + state(registry.get()))));
		}
		context.start();
		context.close();
		assertThat(stops).containsExactly(GRACEFUL_SHUTDOWN + " open", WEB_SERVER + " open",
				CONNECTION_FACTORY + " open", Integer.MIN_VALUE + " open", "destroyed open");
		assertThat(isClosed(registry.get())).isTrue();
	}

	@Test
	void registryWhenItsStoreNeedsBeansEndsBeforeTheConnections() {
		List<String> stops = new ArrayList<>();
		AnnotationConfigApplicationContext context = context(new DependentStore());
		LockRegistry registry = context.getBean(LockRegistry.class);
		for (int phase : new int[] { WEB_SERVER, CONNECTION_FACTORY + 2, CONNECTION_FACTORY }) {
			context.getBeanFactory()
				.registerSingleton("phase" + phase, new Stopping(phase, () -> stops.add(phase + state(registry))));
		}
		context.start();
		context.close();
		assertThat(stops).containsExactly(WEB_SERVER + " open", CONNECTION_FACTORY + 2 + " open",
				CONNECTION_FACTORY + " closed");
	}

	/** Spring would have closed it where its turn as a bean was. */
	@Test
	void registryOfTheApplicationEndsAfterAllBeansAsWell() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		AtomicReference<LockRegistry> archive = new AtomicReference<>();
		List<String> stops = new ArrayList<>();
		context.registerBean("first", DisposableBean.class, () -> () -> stops.add(state(archive.get())));
		context.registerBean("archive", DefaultLockRegistry.class, () -> new DefaultLockRegistry(new MemoryLockStore()),
				(definition) -> ((AbstractBeanDefinition) definition).setDefaultCandidate(false));
		start(context, new MemoryLockStore());
		archive.set(context.getBean("archive", LockRegistry.class));
		context.close();
		assertThat(stops).containsExactly(" open");
		assertThat(isClosed(archive.get())).isTrue();
	}

	/** The others stayed open, with their threads and locks. */
	@Test
	void registriesWhenTheStoreOfOneCannotBeClosedEnd() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean("archive", DefaultLockRegistry.class,
				() -> new DefaultLockRegistry(new DelegatingLockStore(new MemoryLockStore()) {
					@Override
					public void close() {
						throw new IllegalStateException("broken");
					}
				}), (definition) -> ((AbstractBeanDefinition) definition).setDefaultCandidate(false));
		start(context, new MemoryLockStore());
		LockRegistry registry = context.getBean("distributedLockRegistry", LockRegistry.class);
		LockRegistry archive = context.getBean("archive", LockRegistry.class);
		context.close();
		assertThat(isClosed(registry)).isTrue();
		assertThat(isClosed(archive)).isTrue();
	}

	/**
	 * After its connection factory, where a start had failed or a parent had the
	 * lifecycle.
	 */
	@Test
	void registryWhenItsStoreNeedsABeanEndsFirstThoughTheStartFails() {
		List<String> ends = new ArrayList<>();
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		AtomicReference<LockRegistry> registry = new AtomicReference<>();
		context.registerBean("source", DisposableBean.class, () -> () -> ends.add(state(registry.get())));
		context.registerBean("zzz", Object.class, () -> {
			throw new IllegalStateException("broken");
		}, (definition) -> definition.setDependsOn("distributedLockRegistry"));
		TestPropertyValues.of("distributed-lock.store=memory").applyTo(context);
		context.registerBean("distributedLockStore", LockStore.class, DependentStore::new,
				(definition) -> definition.setDependsOn("source"));
		context.register(DistributedLockAutoConfiguration.class);
		context.addBeanFactoryPostProcessor((factory) -> factory.addBeanPostProcessor(new BeanPostProcessor() {
			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				if (bean instanceof DefaultLockRegistry made) {
					registry.set(made);
				}
				return bean;
			}
		}));
		assertThatException().isThrownBy(context::refresh);
		assertThat(ends).containsExactly(" closed");
	}

	@Test
	void registryWhenTheStartFailsEnds() {
		List<DefaultLockRegistry> made = new ArrayList<>();
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean("failing", Object.class, () -> {
			made.add(context.getBean(DefaultLockRegistry.class));
			throw new IllegalStateException("broken");
		});
		assertThatException().isThrownBy(() -> start(context, new MemoryLockStore()));
		assertThat(made).singleElement().satisfies((registry) -> assertThat(isClosed(registry)).isTrue());
	}

	/**
	 * The event of the end used to come after the connection factory was gone, so that
	 * locks stayed taken.
	 */
	@Test
	void registryWhenEventsComeLateEndsBeforeTheConnectionFactory() {
		List<Runnable> late = new ArrayList<>();
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
				SimpleApplicationEventMulticaster.class, () -> {
					SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
					multicaster.setTaskExecutor(late::add);
					return multicaster;
				});
		start(context, new DependentStore());
		LockRegistry registry = context.getBean(LockRegistry.class);
		List<Boolean> closed = new ArrayList<>();
		context.getBeanFactory()
			.registerSingleton("connectionFactory",
					new Stopping(CONNECTION_FACTORY, () -> closed.add(isClosed(registry))));
		context.start();
		context.close();
		assertThat(closed).containsExactly(true);
	}

	@Test
	void registryWhenTheContextIsRestartedStaysOpen() {
		try (ConfigurableApplicationContext context = context()) {
			context.stop();
			context.start();
			assertThat(isClosed(context.getBean(LockRegistry.class))).isFalse();
		}
	}

	/** Spring stops and starts a context around a checkpoint. */
	@Test
	void leaseWhenTheContextIsStoppedAndStartedIsLost() {
		try (ConfigurableApplicationContext context = context()) {
			Lease before = context.getBean(LockRegistry.class).acquire(LockRequest.of("k"));
			context.stop();
			assertThat(before.isLost()).isFalse();
			context.start();
			assertThat(before.isLost()).isTrue();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(before::checkHeld)
				.withMessageContaining(LossReason.RESTORED.description());
		}
	}

	@Test
	void registryWhenTheContextClosesAfterARestartEnds() {
		ConfigurableApplicationContext context = context();
		LockRegistry registry = context.getBean(LockRegistry.class);
		context.stop();
		context.start();
		context.close();
		assertThat(isClosed(registry)).isTrue();
	}

	@Test
	void registryWhenAChildContextClosesStaysOpen() {
		try (AnnotationConfigApplicationContext context = context()) {
			AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
			child.setParent(context);
			child.refresh();
			child.close();
			context.stop();
			assertThat(isClosed(context.getBean(LockRegistry.class))).isFalse();
		}
	}

	private static AnnotationConfigApplicationContext context() {
		return context(new MemoryLockStore());
	}

	private static AnnotationConfigApplicationContext context(LockStore store) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		start(context, store);
		return context;
	}

	private static void start(AnnotationConfigApplicationContext context, LockStore store) {
		TestPropertyValues.of("distributed-lock.store=memory").applyTo(context);
		context.registerBean("distributedLockStore", LockStore.class, () -> store);
		context.register(DistributedLockAutoConfiguration.class);
		context.refresh();
	}

	private static String state(LockRegistry registry) {
		return isClosed(registry) ? " closed" : " open";
	}

	private static boolean isClosed(LockRegistry registry) {
		try {
			registry.acquire(LockRequest.of("probe")).close();
			return false;
		}
		catch (LockRegistryClosedException ex) {
			return true;
		}
	}

	/** Needs a bean of the application, such as a connection factory. */
	private static final class DependentStore extends DelegatingLockStore {

		DependentStore() {
			super(new MemoryLockStore());
		}

		@Override
		public boolean isIndependent() {
			return false;
		}

	}

	private static final class Stopping implements SmartLifecycle {

		private final int phase;

		private final Runnable onStop;

		private volatile boolean running;

		Stopping(int phase, Runnable onStop) {
			this.phase = phase;
			this.onStop = onStop;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			this.onStop.run();
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return this.phase;
		}

	}

}
