package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockShutdownLifecycleTests {

	/** As web servers have it. */
	private static final int GRACEFUL_SHUTDOWN = SmartLifecycle.DEFAULT_PHASE - 1024;

	private static final int WEB_SERVER = GRACEFUL_SHUTDOWN - 1024;

	/** As connection factories have it. */
	private static final int CONNECTION_FACTORY = 0;

	private static final int ROUNDS = 100;

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

	/** The event of the child must not undo that of the context. */
	@Test
	void registriesWhenAChildContextClosesAtTheSameTimeEnd() throws InterruptedException {
		ContextClosedEvent own = new ContextClosedEvent(new GenericApplicationContext());
		ContextClosedEvent ofChild = new ContextClosedEvent(new GenericApplicationContext());
		AtomicReference<LockShutdownLifecycle> lifecycle = new AtomicReference<>(lifecycle(own, () -> {
		}));
		AtomicInteger told = new AtomicInteger();
		AtomicBoolean over = new AtomicBoolean();
		Thread child = new Thread(() -> {
			while (!over.get()) {
				lifecycle.get().onApplicationEvent(ofChild);
				told.incrementAndGet();
			}
		});
		child.start();
		AtomicInteger ended = new AtomicInteger();
		for (int round = 0; round < ROUNDS; round++) {
			lifecycle.set(lifecycle(own, ended::incrementAndGet));
			awaitNext(told);
			lifecycle.get().onApplicationEvent(own);
			awaitNext(told);
			lifecycle.get().stop();
		}
		over.set(true);
		child.join();
		assertThat(ended).hasValue(ROUNDS);
	}

	private static void awaitNext(AtomicInteger counter) {
		int before = counter.get();
		while (counter.get() == before) {
			Thread.yield();
		}
	}

	@SuppressWarnings("serial")
	private static LockShutdownLifecycle lifecycle(ContextClosedEvent event, Runnable whenEnded) {
		return new LockShutdownLifecycle(new ArrayList<>() {

			@Override
			public void forEach(Consumer<? super DefaultLockRegistry> close) {
				whenEnded.run();
			}

		}, event.getApplicationContext());
	}

	private static AnnotationConfigApplicationContext context() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues.of("distributed-lock.store=memory").applyTo(context);
		context.register(DistributedLockAutoConfiguration.class);
		context.refresh();
		return context;
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
