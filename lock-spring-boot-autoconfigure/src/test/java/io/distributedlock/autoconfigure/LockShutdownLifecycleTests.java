package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockShutdownLifecycleTests {

	/** The phase of web servers. */
	private static final int GRACEFUL_SHUTDOWN = SmartLifecycle.DEFAULT_PHASE - 1024;

	private static final int WEB_SERVER = GRACEFUL_SHUTDOWN - 1024;

	/** The phase of connection factories. */
	private static final int CONNECTION_FACTORY = 0;

	@Test
	void registryWhenTheContextClosesEndsBetweenWebServerAndConnectionFactory() {
		List<String> stops = new ArrayList<>();
		AnnotationConfigApplicationContext context = context();
		LockRegistry registry = context.getBean(LockRegistry.class);
		for (int phase : new int[] { GRACEFUL_SHUTDOWN, WEB_SERVER, CONNECTION_FACTORY }) {
			context.getBeanFactory()
				.registerSingleton("phase" + phase,
						new Stopping(phase, () -> stops.add(phase + (isClosed(registry) ? " closed" : " open"))));
		}
		context.start();
		context.close();
		assertThat(stops).containsExactly(GRACEFUL_SHUTDOWN + " open", WEB_SERVER + " open",
				CONNECTION_FACTORY + " closed");
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
		start(context);
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
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		start(context);
		return context;
	}

	private static void start(AnnotationConfigApplicationContext context) {
		TestPropertyValues.of("distributed-lock.store=memory").applyTo(context);
		context.register(DistributedLockAutoConfiguration.class);
		context.refresh();
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
