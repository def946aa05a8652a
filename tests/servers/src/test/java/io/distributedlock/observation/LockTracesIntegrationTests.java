package io.distributedlock.observation;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockTemplate;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.reactive.ReactiveLockTemplate;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** The trace of a wait and a hold, however they end. */
class LockTracesIntegrationTests {

	private static final LockRequest REQUEST = LockRequest.of("stock", "k").waitFor(Duration.ofSeconds(20));

	private static ObservedRedis redis;

	private final SimpleTracer tracer = new SimpleTracer();

	private final ObservationRegistry observations = ObservationRegistry.create();

	private DefaultLockRegistry here;

	private DefaultLockRegistry there;

	@BeforeAll
	static void start() {
		redis = new ObservedRedis();
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	LockTracesIntegrationTests() {
		this.observations.observationConfig().observationHandler(new DefaultTracingObservationHandler(this.tracer));
		this.here = redis.registry(null, new MicrometerLockObserver(this.observations));
		this.there = redis.registry(null, null);
	}

	@AfterEach
	void close() {
		redis.server.resume();
		this.here.close();
		this.there.close();
		redis.forget();
	}

	private Stream<SimpleSpan> spans(String name) {
		return this.tracer.getSpans().stream().filter((span) -> name.equals(span.getName()));
	}

	private SimpleSpan ended(String name) {
		await().until(() -> spans(name).anyMatch((span) -> span.getTags().containsKey("lock.outcome")));
		return spans(name).findFirst().orElseThrow();
	}

	@ParameterizedTest
	@EnumSource
	void waitAndHoldAreChildrenOfTheCaller(Kind kind) {
		Observation caller = Observation.start("caller", this.observations);
		kind.call(this.here, caller);
		SimpleSpan wait = ended("wait lock stock");
		SimpleSpan hold = ended("hold lock stock");
		caller.stop();
		String parent = spans("caller").findFirst().orElseThrow().getSpanId();
		assertThat(wait.getParentId()).isEqualTo(parent);
		assertThat(hold.getParentId()).isEqualTo(parent);
		assertThat(wait.getTags())
			.containsAllEntriesOf(Map.of("lock.name", "stock", "lock.mode", "exclusive", "lock.outcome", "acquired"));
		assertThat(hold.getTags())
			.containsAllEntriesOf(Map.of("lock.name", "stock", "lock.mode", "exclusive", "lock.outcome", "released"));
		assertThat(hold.getTags().get("lock.token")).isEqualTo(wait.getTags().get("lock.token")).isNotBlank();
		assertThat(hold.getTags()).doesNotContainKey("lock.key");
		assertThat(this.tracer.getSpans()).hasSize(3);
	}

	@Test
	void timeOutIsBusyAndNoError() {
		this.there.acquire(REQUEST);
		// The first command has to wait until there is a connection.
		this.here.acquire(LockRequest.of("other").waitFor(Duration.ofSeconds(20))).close();
		assertThat(this.here.tryAcquire(REQUEST.waitFor(Duration.ofSeconds(1)))).isEmpty();
		assertWait("busy");
		assertThat(ended("wait lock stock").getError()).isNull();
	}

	@Test
	void interruptOfAWaitIsShown() {
		this.there.acquire(REQUEST);
		Thread waiting = Thread.currentThread();
		CompletableFuture.runAsync(() -> {
			await().until(() -> this.here.statistics().waiting() == 1);
			waiting.interrupt();
		});
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.here.acquire(REQUEST));
		assertThat(Thread.interrupted()).isTrue();
		assertWait("interrupted");
	}

	@Test
	void cancelOfAWaitIsShown() {
		this.there.acquire(REQUEST);
		this.here.acquireAsync(REQUEST).toCompletableFuture().cancel(false);
		assertWait("cancelled");
	}

	@Test
	void outageIsAnErrorOfTheWait() {
		this.here.acquire(REQUEST).close();
		this.tracer.getSpans().clear();
		redis.server.pause();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.here.acquire(REQUEST.waitFor(Duration.ZERO)));
		assertWait("unavailable");
		assertThat(ended("wait lock stock").getError()).isInstanceOf(LockStoreException.class);
	}

	@Test
	void secondEntryOfAnOwnerIsNoHold() {
		LockRequest owned = REQUEST.ownedByCurrentThread();
		try (Lease outer = this.here.acquire(owned); Lease inner = this.here.acquire(owned)) {
			assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		}
		assertThat(spans("wait lock stock").map((span) -> span.getTags().get("lock.outcome")))
			.containsExactlyInAnyOrder("acquired", "reentered");
		assertThat(spans("hold lock stock")).hasSize(1);
	}

	@Test
	void lossIsAnErrorOfTheHold() {
		this.here.acquire(REQUEST.ttl(Duration.ofSeconds(3)));
		redis.forget();
		SimpleSpan hold = ended("hold lock stock");
		assertThat(hold.getTags()).containsEntry("lock.outcome", "lost");
		assertThat(hold.getError()).hasMessageContaining("stock:…").hasNoCause();
	}

	@Test
	void releaseWithoutAnswerIsAnErrorOfTheHold() {
		Lease lease = this.here.acquire(REQUEST);
		redis.server.pause();
		lease.close();
		SimpleSpan hold = ended("hold lock stock");
		assertThat(hold.getTags()).containsEntry("lock.outcome", "unconfirmed");
		assertThat(hold.getError()).isInstanceOf(LockStoreException.class);
	}

	@Test
	void keysAreShownIfThatIsAskedFor() {
		try (DefaultLockRegistry registry = redis.registry(null,
				new MicrometerLockObserver(this.observations, new DefaultLockObservationConvention(true)))) {
			registry.acquire(REQUEST).close();
		}
		assertThat(ended("hold lock stock").getTags()).containsEntry("lock.key", "k");
	}

	private void assertWait(String outcome) {
		assertThat(ended("wait lock stock").getTags()).containsEntry("lock.outcome", outcome);
		assertThat(spans("hold lock stock")).isEmpty();
	}

	/** How a caller asks for the lock and runs under it. */
	enum Kind {

		PLAIN {
			@Override
			void call(LockRegistry registry, Observation caller) {
				caller.scoped(() -> registry.acquire(REQUEST).close());
			}
		},

		FUTURE {
			@Override
			void call(LockRegistry registry, Observation caller) {
				caller.scoped(() -> registry.acquireAsync(REQUEST))
					.thenAccept(Lease::close)
					.toCompletableFuture()
					.join();
			}
		},

		STAGE {
			@Override
			void call(LockRegistry registry, Observation caller) {
				caller
					.scoped(() -> new LockTemplate(registry).executeAsync(REQUEST,
							(lease) -> CompletableFuture.supplyAsync(() -> "done")))
					.join();
			}
		},

		MONO {
			@Override
			void call(LockRegistry registry, Observation caller) {
				new ReactiveLockTemplate(registry).execute(REQUEST, (lease) -> Mono.just("done"))
					.contextWrite(Context.of("micrometer.observation", caller))
					.block();
			}
		},

		FLUX {
			@Override
			void call(LockRegistry registry, Observation caller) {
				new ReactiveLockTemplate(registry).executeMany(REQUEST, (lease) -> Flux.just(1, 2))
					.contextWrite(Context.of("micrometer.observation", caller))
					.blockLast();
			}
		};

		abstract void call(LockRegistry registry, Observation caller);

	}

}
