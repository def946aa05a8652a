package io.distributedlock.observation;

import java.util.List;

import io.distributedlock.LockException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.LossReason;
import io.distributedlock.event.LockObserver.Hold;
import io.distributedlock.event.LockObserver.Wait;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The ends that Micrometer is told of, and the parents of the observations. */
class MicrometerLockObserverTests {

	private static final LockStoreException FAILURE = new LockStoreException(Kind.UNAVAILABLE,
			"stock:secret was not renewed", new IllegalStateException("secret"));

	private final SimpleTracer tracer = new SimpleTracer();

	private final ObservationRegistry observations = ObservationRegistry.create();

	private final MicrometerLockObserver observer = new MicrometerLockObserver(this.observations);

	MicrometerLockObserverTests() {
		this.observations.observationConfig().observationHandler(new DefaultTracingObservationHandler(this.tracer));
	}

	private Wait waiting(MicrometerLockObserver observer) {
		return observer.waiting("stock", List.of("secret"), LockMode.EXCLUSIVE);
	}

	private Hold holding(MicrometerLockObserver observer) {
		return waiting(observer).acquired(1);
	}

	private SimpleSpan span(String name) {
		return this.tracer.getSpans().stream().filter((span) -> name.equals(span.getName())).findFirst().orElseThrow();
	}

	private Throwable withoutKey(String span) {
		Throwable error = span(span).getError();
		assertThat(Throwables.getStackTrace(error)).doesNotContain("secret");
		return error;
	}

	@Test
	void lossNamesItsReasonAndNoKey() {
		holding(this.observer).lost(LossReason.EXPIRED, FAILURE);
		assertThat(withoutKey("hold lock stock")).isInstanceOf(LockLostException.class)
			.hasMessageContaining(LossReason.EXPIRED.description());
	}

	@Test
	void unconfirmedReleaseNamesItsKindAndNoKey() {
		holding(this.observer).releaseFailed(FAILURE);
		assertThat(withoutKey("hold lock stock")).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("UNAVAILABLE");
	}

	@Test
	void interruptNamesNoKey() {
		waiting(this.observer).failed(new InterruptedException("Interrupted while waiting for stock:secret"));
		assertThat(withoutKey("wait lock stock")).isInstanceOf(InterruptedException.class);
	}

	@Test
	void otherErrorNamesItsTypeAndNoKey() {
		waiting(this.observer).failed(new IllegalStateException("secret"));
		assertThat(withoutKey("wait lock stock")).isInstanceOf(LockException.class)
			.hasMessage(IllegalStateException.class.getName());
	}

	@Test
	void errorIsWholeWhereKeysAreShown() {
		holding(new MicrometerLockObserver(this.observations, new DefaultLockObservationConvention(true)))
			.lost(LossReason.EXPIRED, FAILURE);
		assertThat(span("hold lock stock").getError()).hasMessageContaining("stock:secret").hasCause(FAILURE);
	}

	/** It is a kind of busy lock, and was shown as one. */
	@Test
	void shutdownIsNoBusyLock() {
		waiting(this.observer).failed(new LockRegistryClosedException("stock", "secret"));
		assertThat(span("wait lock stock").getTags()).containsEntry("lock.outcome", "closed");
	}

	@Test
	void holdHasNoParentWhereItsCallerHasNone() {
		Wait wait = waiting(this.observer);
		Observation other = Observation.start("other", this.observations);
		other.scoped(() -> wait.acquired(1).released());
		other.stop();
		assertThat(span("hold lock stock").getTraceId()).isNotEqualTo(span("other").getTraceId());
		assertThat(span("hold lock stock").getParentId()).isNotEqualTo(span("other").getSpanId());
	}

	@Test
	void holdHasTheParentOfItsCallerOnEveryThread() {
		Observation caller = Observation.start("caller", this.observations);
		Wait wait = caller.scoped(() -> waiting(this.observer));
		Observation.start("other", this.observations).scoped(() -> wait.acquired(1).released());
		caller.stop();
		assertThat(span("hold lock stock").getParentId()).isEqualTo(span("caller").getSpanId());
	}

}
