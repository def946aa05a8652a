package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockMode;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class LockEventPublisherTests {

	private static final LockEvent.Busy EVENT = new LockEvent.Busy("stock", "42", LockMode.FAIR, Duration.ofSeconds(1));

	@Test
	void eventWhenToldReachesListenerBeansAndApplicationListeners() {
		List<LockEvent> seen = new ArrayList<>();
		try (AnnotationConfigApplicationContext context = context(new ApplicationListeners(), seen::add)) {
			publisher(context).onLockEvent(EVENT);
			assertThat(seen).containsExactly(EVENT);
			assertThat(context.getBean(ApplicationListeners.class).busy).containsExactly(EVENT);
			assertThat(context.getBean(ApplicationListeners.class).lost).isEmpty();
		}
	}

	@Test
	void eventWhenAListenerFailsReachesTheOthers(CapturedOutput output) {
		List<LockEvent> seen = new ArrayList<>();
		try (AnnotationConfigApplicationContext context = context(new ApplicationListeners(), (event) -> {
			throw new IllegalStateException("broken");
		}, seen::add)) {
			publisher(context).onLockEvent(EVENT);
			assertThat(seen).containsExactly(EVENT);
			assertThat(context.getBean(ApplicationListeners.class).busy).containsExactly(EVENT);
			assertThat(output).contains("broken");
		}
	}

	@Test
	void eventsAreKnownAll() {
		assertThat(LockEventPublisher.EVENTS).containsExactlyInAnyOrder(eventTypes());
	}

	@SuppressWarnings("unchecked")
	private static Class<? extends LockEvent>[] eventTypes() {
		return (Class<? extends LockEvent>[]) LockEvent.class.getPermittedSubclasses();
	}

	/** An event was made and queued for each lock although nothing wanted it. */
	@Test
	void publisherWithoutListenersStopsAfterTheFirstEvent() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Object.class)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.run()) {
			LockEventPublisher publisher = new LockEventPublisher(context.getBeanProvider(LockEventListener.class),
					context);
			assertThat(publisher.isListening()).isTrue();
			publisher.onLockEvent(EVENT);
			assertThat(publisher.isListening()).isFalse();
		}
	}

	@Test
	void publisherWithAListenerOfOneEventGoesOnListening() {
		try (AnnotationConfigApplicationContext context = context(new ApplicationListeners())) {
			LockEventPublisher publisher = publisher(context);
			publisher.onLockEvent(EVENT);
			assertThat(publisher.isListening()).isTrue();
		}
	}

	/** The listeners of methods are there only when all beans are. */
	@Test
	void publisherThatIsToldWhileTheContextStartsGoesOnListening() {
		AtomicReference<LockEventPublisher> publisher = new AtomicReference<>();
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(InitializingBean.class, () -> () -> {
				publisher.set(publisher(context));
				publisher.get().onLockEvent(EVENT);
				assertThat(publisher.get().isListening()).isTrue();
			});
			context.refresh();
			publisher.get().onLockEvent(EVENT);
			assertThat(publisher.get().isListening()).isFalse();
		}
	}

	@Test
	void publisherWithAListenerThatIsMadeLaterGoesOnListening() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(LateListener.class, (definition) -> definition.setLazyInit(true));
			context.refresh();
			LockEventPublisher publisher = publisher(context);
			publisher.onLockEvent(EVENT);
			assertThat(publisher.isListening()).isTrue();
		}
	}

	@Test
	void publisherListensAgainWhenAListenerIsAdded() {
		List<Object> seen = new ArrayList<>();
		ApplicationListener<PayloadApplicationEvent<LockEvent.Busy>> listener = new BusyListener(seen);
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.refresh();
			LockEventPublisher publisher = publisher(context);
			publisher.onLockEvent(EVENT);
			assertThat(publisher.isListening()).isFalse();
			context.addApplicationListener(listener);
			assertThat(publisher.isListening()).isTrue();
			publisher.onLockEvent(EVENT);
			assertThat(seen).containsExactly(EVENT);
			assertThat(publisher.isListening()).isTrue();
			context.removeApplicationListener(listener);
			publisher.onLockEvent(EVENT);
			assertThat(publisher.isListening()).isFalse();
		}
	}

	private static LockEventPublisher publisher(AnnotationConfigApplicationContext context) {
		return new LockEventPublisher(context.getBeanProvider(LockEventListener.class), context);
	}

	private static AnnotationConfigApplicationContext context(ApplicationListeners application,
			LockEventListener... listeners) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(ApplicationListeners.class, () -> application);
		for (int i = 0; i < listeners.length; i++) {
			LockEventListener listener = listeners[i];
			context.registerBean("listener" + i, LockEventListener.class, () -> listener);
		}
		context.refresh();
		return context;
	}

	static class ApplicationListeners {

		private final List<LockEvent.Busy> busy = new ArrayList<>();

		private final List<LockEvent.Lost> lost = new ArrayList<>();

		@EventListener
		void onBusy(LockEvent.Busy event) {
			this.busy.add(event);
		}

		@EventListener
		void onLost(LockEvent.Lost event) {
			this.lost.add(event);
		}

	}

	static class LateListener implements ApplicationListener<ContextClosedEvent> {

		@Override
		public void onApplicationEvent(ContextClosedEvent event) {
		}

	}

	static class BusyListener implements ApplicationListener<PayloadApplicationEvent<LockEvent.Busy>> {

		private final List<Object> seen;

		BusyListener(List<Object> seen) {
			this.seen = seen;
		}

		@Override
		public void onApplicationEvent(PayloadApplicationEvent<LockEvent.Busy> event) {
			this.seen.add(event.getPayload());
		}

	}

}
