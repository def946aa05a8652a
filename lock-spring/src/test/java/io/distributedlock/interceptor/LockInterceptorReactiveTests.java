package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockKeyException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenLost;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import io.distributedlock.annotation.Renewal;
import io.distributedlock.reactive.ReactiveLockTemplate;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockInterceptorReactiveTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private @Nullable GuardedContext context;

	@AfterEach
	void close() {
		this.context.close();
	}

	private Guarded guarded() {
		return guarded(new GuardedContext());
	}

	private Guarded guarded(GuardedContext fresh) {
		this.context = fresh.start(Guarded.class);
		return fresh.bean(Guarded.class);
	}

	private Guarded unavailable(List<String> unprotected) {
		return guarded(new GuardedContext().registry(new Unavailable())
			.listener((request, cause) -> unprotected.add(request.keys().get(0))));
	}

	@Test
	void monoWhenCalledTakesNoLockUntilItIsSubscribedTo() {
		Guarded guarded = guarded();
		Mono<String> mono = guarded.mono("k");
		assertThat(guarded.calls()).hasValue(0);
		assertThat(this.context.isLocked("k")).isFalse();
		assertThat(mono.block(Patience.CEILING)).isEqualTo("k");
	}

	@Test
	void monoWhenSubscribedTwiceRunsTwice() {
		Guarded guarded = guarded();
		Mono<String> mono = guarded.mono("k");
		mono.block(Patience.CEILING);
		mono.block(Patience.CEILING);
		assertThat(guarded.calls()).hasValue(2);
	}

	@Test
	void fluxWhenSubscribedRunsUnderTheLock() {
		Guarded guarded = guarded();
		StepVerifier.create(guarded.flux("k"), 0)
			.thenRequest(1)
			.expectNext(0)
			.then(() -> assertThat(this.context.isLocked("k")).isTrue())
			.thenRequest(2)
			.expectNext(1, 2)
			.expectComplete()
			.verify(LONG);
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void publisherWhenDeclaredIsGuarded() {
		assertThat(Flux.from(guarded().publisher("k")).collectList().block(Patience.CEILING)).containsExactly("k");
	}

	@Test
	void flowPublisherWhenDeclaredIsGuardedButKnowsNoContext() {
		Guarded guarded = guarded();
		StepVerifier.create(JdkFlowAdapter.flowPublisherToFlux(guarded.jdkPublisher("k")), 0)
			.thenAwait()
			.then(() -> Awaitility.await().until(() -> this.context.isLocked("k")))
			.thenRequest(1)
			.expectNext("without")
			.expectComplete()
			.verify(LONG);
		assertThat(this.context.isLocked("k")).isFalse();
	}

	@Test
	void keyWhenWrongIsThrownByTheCall() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded().mono(null));
	}

	@Test
	void busyWhenThrowFailsTheSubscription() {
		Guarded guarded = guarded();
		Mono<String> mono = guarded.mono("k");
		try (Lease busy = this.context.holdElsewhere("", "k")) {
			StepVerifier.create(mono).expectError(LockNotAcquiredException.class).verify(LONG);
		}
		StepVerifier.create(mono).expectNext("k").expectComplete().verify(LONG);
	}

	@Test
	void busyWhenSkipIsEmpty() {
		Guarded guarded = guarded();
		try (Lease busy = this.context.holdElsewhere("", "k")) {
			StepVerifier.create(guarded.skippedMono("k")).expectComplete().verify(LONG);
			StepVerifier.create(guarded.skippedFlux("k")).expectComplete().verify(LONG);
		}
		assertThat(guarded.calls()).hasValue(0);
	}

	@Test
	void busyWhenFallbackIsWhatTheFallbackEmits() {
		Guarded guarded = guarded();
		try (Lease busy = this.context.holdElsewhere("", "k")) {
			assertThat(guarded.monoWithFallback("k").block(Patience.CEILING)).isEqualTo("instead of k: k");
			assertThat(guarded.fluxWithFallback("k").collectList().block(Patience.CEILING)).containsExactly(7, 8);
		}
	}

	@Test
	void busyWhenInsideTheBodyIsTheBodysOwnFailure() {
		Guarded guarded = guarded();
		StepVerifier.create(guarded.failing(new LockNotAcquiredException("other", null, Duration.ZERO)))
			.expectErrorSatisfies((ex) -> assertThat(ex).isInstanceOfSatisfying(LockNotAcquiredException.class,
					(busy) -> assertThat(busy.getKey()).isEqualTo("other")))
			.verify(LONG);
	}

	@Test
	void outageWhenThrowFailsTheSubscription() {
		StepVerifier.create(unavailable(List.of()).mono("k")).expectError(LockStoreException.class).verify(LONG);
	}

	@Test
	void outageWhenSkipIsEmpty() {
		StepVerifier.create(unavailable(List.of()).skippedMono("k")).expectComplete().verify(LONG);
	}

	@Test
	void outageWhenProceedRunsWithoutLockAndTells() {
		List<String> unprotected = new CopyOnWriteArrayList<>();
		StepVerifier.create(unavailable(unprotected).unprotected("k"))
			.expectNext("without")
			.expectComplete()
			.verify(LONG);
		assertThat(unprotected).containsExactly("k");
	}

	@Test
	void conditionWhenFalseSubscribesWithoutLock() {
		assertThat(guarded().conditional(1).block(Patience.CEILING)).isEqualTo("without");
		this.context.close();
		assertThat(guarded().conditional(11).block(Patience.CEILING)).isEqualTo("11");
	}

	@Test
	void nestedWhenSameKeyEntersAgain() {
		assertThat(guarded().outer("k").block(Patience.CEILING)).isEqualTo("k");
	}

	@Test
	void tokenWhenDeclaredIsThatOfEachSubscription() {
		Mono<Long> mono = guarded().token("k", 0);
		long first = mono.block(Patience.CEILING);
		assertThat(first).isPositive();
		assertThat(mono.block(Patience.CEILING)).isGreaterThan(first);
	}

	@Test
	void locksWhenRepeatedAreBothHeld() {
		Guarded guarded = guarded();
		assertThat(guarded.repeated("a", "b")
			.map((ignored) -> this.context.isLocked("a") || this.context.isLocked("b"))
			.block(Patience.CEILING)).isFalse();
		assertThat(guarded.calls()).hasValue(1);
		try (Lease busy = this.context.holdElsewhere("", "b")) {
			StepVerifier.create(guarded.repeated("a", "b")).expectError(LockNotAcquiredException.class).verify(LONG);
		}
		assertThat(this.context.isLocked("a")).isFalse();
	}

	@Test
	void lossWhenThrowFailsAfterTheBody() {
		StepVerifier.create(guarded().outlivesItsLease("k"))
			.expectErrorSatisfies((ex) -> assertThat(ex).isInstanceOfSatisfying(LockLostException.class,
					(lost) -> assertThat(lost.isBodyCompleted()).isTrue()))
			.verify(LONG);
	}

	@Test
	void lossWhenInterruptCancelsTheBody() throws InterruptedException {
		Guarded guarded = guarded();
		StepVerifier.create(guarded.interrupted("k")).expectError(LockLostException.class).verify(LONG);
		guarded.cancelled().await();
	}

	@Test
	void keepForWhenDoneSkipsTheNextSubscription() {
		Guarded guarded = guarded();
		Mono<Void> job = guarded.job();
		StepVerifier.create(job).expectComplete().verify(LONG);
		StepVerifier.create(job).expectComplete().verify(LONG);
		assertThat(guarded.calls()).hasValue(1);
	}

	@Test
	void cancelWhenBodyRunsReleases() {
		Guarded guarded = guarded();
		Disposable subscription = guarded.never("k").subscribe();
		Awaitility.await().until(() -> guarded.calls().get() == 1);
		assertThat(this.context.isLocked("k")).isTrue();
		subscription.dispose();
		Awaitility.await().until(() -> !this.context.isLocked("k"));
	}

	@Test
	void retryWhenBodyFailsTakesTheLockAfresh() {
		this.context = new GuardedContext().start(Guarded.class, Retries.class);
		Guarded guarded = this.context.bean(Guarded.class);
		assertThat(guarded.retried("k").block(Patience.CEILING)).isEqualTo(2);
		assertThat(guarded.tokens()).hasSize(2).doesNotHaveDuplicates();
	}

	/** A store that is never reachable. */
	private static final class Unavailable implements LockRegistry {

		private final LockStoreException failure = new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "down",
				null);

		@Override
		public LeaseLock getLock(String name, String key) {
			throw this.failure;
		}

		@Override
		public Optional<Lease> tryAcquire(LockRequest request) {
			throw this.failure;
		}

		@Override
		public Lease acquire(LockRequest request) {
			throw this.failure;
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockRequest request) {
			return CompletableFuture.failedFuture(this.failure);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods(proxyTargetClass = true)
	static class Retries {

	}

	static class Guarded {

		private final AtomicInteger calls = new AtomicInteger();

		private final List<Long> tokens = new CopyOnWriteArrayList<>();

		private final CountDownLatch cancelled = new CountDownLatch(1);

		@Autowired
		@Lazy
		private @Nullable Guarded self;

		AtomicInteger calls() {
			return this.calls;
		}

		List<Long> tokens() {
			return this.tokens;
		}

		CountDownLatch cancelled() {
			return this.cancelled;
		}

		private Mono<String> keys() {
			this.calls.incrementAndGet();
			return ReactiveLockTemplate.currentLease().map(Lease::key).defaultIfEmpty("without");
		}

		@DistributedLock(key = "#key", waitFor = "0")
		public Mono<String> mono(String key) {
			return keys();
		}

		@DistributedLock("#key")
		public Flux<Integer> flux(String key) {
			return Flux.range(0, 3);
		}

		@DistributedLock("#key")
		public Publisher<String> publisher(String key) {
			return keys();
		}

		@DistributedLock("#key")
		public Flow.Publisher<String> jdkPublisher(String key) {
			return JdkFlowAdapter.publisherToFlowPublisher(keys());
		}

		@DistributedLock(key = "#key", waitFor = "0", whenBusy = WhenBusy.SKIP, whenUnavailable = WhenUnavailable.SKIP)
		public Mono<String> skippedMono(String key) {
			return keys();
		}

		@DistributedLock(key = "#key", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public Flux<String> skippedFlux(String key) {
			return keys().flux();
		}

		@DistributedLock(key = "#key", waitFor = "0", fallback = "busyMono")
		public Mono<String> monoWithFallback(String key) {
			return keys();
		}

		private Mono<String> busyMono(String key, LockNotAcquiredException busy) {
			return Mono.just("instead of " + key + ": " + busy.getKey());
		}

		@DistributedLock(key = "#key", waitFor = "0", fallback = "busyFlux")
		public Flux<Integer> fluxWithFallback(String key) {
			return Flux.empty();
		}

		private Flux<Integer> busyFlux(String key) {
			return Flux.just(7, 8);
		}

		@DistributedLock(key = "'k'", whenBusy = WhenBusy.SKIP)
		public Mono<String> failing(RuntimeException failure) {
			return Mono.error(failure);
		}

		@DistributedLock(key = "#key", whenUnavailable = WhenUnavailable.PROCEED)
		public Mono<String> unprotected(String key) {
			return keys();
		}

		@DistributedLock(key = "#amount", condition = "#amount > 10")
		public Mono<String> conditional(int amount) {
			return keys();
		}

		@DistributedLock("#key")
		public Mono<String> outer(String key) {
			return this.self.mono(key);
		}

		@DistributedLock("#key")
		public Mono<Long> token(String key, @FencingToken long token) {
			return Mono.just(token);
		}

		@DistributedLock("#first")
		@DistributedLock(key = "#second", waitFor = "0")
		public Mono<String> repeated(String first, String second) {
			return keys();
		}

		@DistributedLock(key = "#key", ttl = "50ms", renew = Renewal.OFF)
		public Mono<Void> outlivesItsLease(String key) {
			return ReactiveLockTemplate.currentLease()
				.doOnNext((lease) -> Awaitility.await().until(() -> !lease.isHeld()))
				.subscribeOn(Schedulers.boundedElastic())
				.then();
		}

		@DistributedLock(key = "#key", ttl = "50ms", renew = Renewal.OFF, whenLost = WhenLost.INTERRUPT)
		public Mono<Void> interrupted(String key) {
			return Mono.<Void>never().doOnCancel(this.cancelled::countDown);
		}

		@DistributedLock(name = "job", key = "'nightly'", keepFor = "1m")
		public Mono<Void> job() {
			return Mono.fromRunnable(this.calls::incrementAndGet);
		}

		@DistributedLock("#key")
		public Mono<Void> never(String key) {
			this.calls.incrementAndGet();
			return Mono.never();
		}

		@Retryable(delay = 1)
		@DistributedLock("#key")
		public Mono<Integer> retried(String key) {
			return ReactiveLockTemplate.currentLease().map((lease) -> {
				this.tokens.add(lease.fencingToken());
				if (this.tokens.size() == 1) {
					throw new IllegalStateException("try again");
				}
				return this.tokens.size();
			});
		}

	}

}
