package io.distributedlock.reactive;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.SharedLocks;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The contract of every store for a reactive sequence. */
public abstract class ReactiveLockContractTests extends ReactiveInstances {

	private static final Duration LONG = Duration.ofSeconds(30);

	protected ReactiveLockContractTests(SharedLocks locks) {
		super(locks);
	}

	@Test
	void monoWhenNotSubscribedTakesNoLock() {
		this.template.execute(request(), (lease) -> Mono.just("x"));
		assertThat(isFree()).isTrue();
	}

	@Test
	void monoWhenSubscribedRunsUnderTheLockAndReleasesBeforeItsValue() {
		Mono<Boolean> guarded = this.template.execute(request(),
				(lease) -> Mono.fromCallable(this::isFree).subscribeOn(Schedulers.boundedElastic()));
		StepVerifier.create(guarded.publishOn(Schedulers.boundedElastic()).map((free) -> !free && isFree()))
			.expectNext(true)
			.expectComplete()
			.verify(LONG);
	}

	@Test
	void monoWhenEmptyIsEmptyAndReleases() {
		StepVerifier.create(this.template.execute(this.key, Mono.empty())).expectComplete().verify(LONG);
		assertThat(isFree()).isTrue();
	}

	@Test
	void monoWhenSubscribedTwiceTakesTheLockTwice() {
		Mono<Long> guarded = this.template.execute(request(), (lease) -> Mono.just(lease.fencingToken()));
		long first = guarded.block(Patience.CEILING);
		assertThat(guarded.block(Patience.CEILING)).isGreaterThan(first);
	}

	@Test
	void monoWhenBodyFailsReleasesAndFailsLikewise() {
		StepVerifier.create(this.template.execute(this.key, Mono.error(new IllegalStateException("body"))))
			.expectErrorMessage("body")
			.verify(LONG);
		assertThat(isFree()).isTrue();
	}

	@Test
	void monoWhenActionThrowsReleasesAndFailsLikewise() {
		StepVerifier.create(this.template.execute(request(), (lease) -> {
			throw new IllegalStateException("body");
		})).expectErrorMessage("body").verify(LONG);
		assertThat(isFree()).isTrue();
	}

	@Test
	void monoWhenBusyFailsAndBodyIsNotSubscribed() {
		AtomicBoolean subscribed = new AtomicBoolean();
		try (Lease busy = holdElsewhere()) {
			StepVerifier.create(this.template.execute(once(), (lease) -> Mono.fromRunnable(() -> subscribed.set(true))))
				.expectError(LockNotAcquiredException.class)
				.verify(LONG);
		}
		assertThat(subscribed).isFalse();
	}

	@Test
	void monoThatSetsItsLeaseAnewGoesOnWithThat() {
		Mono<Duration> guarded = this.template.execute(request().ttl(Duration.ofHours(1)),
				(lease) -> ReactiveLockTemplate.currentLease()
					.flatMap((current) -> Mono.fromCompletionStage(() -> current.extendAsync(LONG, null))
						.then(Mono.fromSupplier(current::remaining))));
		assertThat(guarded.block(Patience.CEILING)).isBetween(LONG.dividedBy(10), LONG);
		assertThat(isFree()).isTrue();
	}

	@Test
	void monoWhenRequestIsWrongFailsInsteadOfThrowing() {
		StepVerifier.create(this.template.execute(request().ttl(Duration.ofMillis(50)), (lease) -> Mono.just(1)))
			.expectError(IllegalArgumentException.class)
			.verify(LONG);
	}

	@Test
	void monoWhenHeldElsewhereWaitsForIt() {
		Lease busy = holdElsewhere();
		CompletableFuture<String> result = this.template.execute(this.key, Mono.just("mine")).toFuture();
		assertThat(result).isNotDone();
		busy.close();
		assertThat(result).succeedsWithin(Patience.CEILING).isEqualTo("mine");
	}

	@Test
	void fluxWhenCompleteReleasesBeforeItCompletes() {
		StepVerifier.create(this.template.executeMany(LockRequest.of(this.key), (lease) -> Flux.range(0, 1000)))
			.expectNextCount(1000)
			.expectComplete()
			.verify(LONG);
		assertThat(isFree()).isTrue();
	}

	@Test
	void fluxWhenSubscriberIsSlowIsLockedUntilTheLastElement() {
		StepVerifier.create(this.template.executeMany(LockRequest.of(this.key), (lease) -> Flux.range(0, 3)), 0)
			.thenRequest(1)
			.expectNext(0)
			.then(() -> assertThat(isFree()).isFalse())
			.thenRequest(2)
			.expectNext(1, 2)
			.expectComplete()
			.verify(LONG);
		assertThat(isFree()).isTrue();
	}

	@Test
	void fluxWhenSubscriberHasEnoughReleases() {
		StepVerifier
			.create(this.template.executeMany(LockRequest.of(this.key), (lease) -> Flux.interval(Duration.ofMillis(1)))
				.take(3))
			.expectNextCount(3)
			.expectComplete()
			.verify(LONG);
		awaitFree();
	}

	@Test
	void fluxWhenBodyFailsEmitsWhatCameBeforeAndReleases() {
		Flux<Integer> body = Flux.range(0, 2).concatWith(Mono.error(new IllegalStateException("body")));
		StepVerifier.create(this.template.executeMany(LockRequest.of(this.key), (lease) -> body))
			.expectNext(0, 1)
			.expectErrorMessage("body")
			.verify(LONG);
		assertThat(isFree()).isTrue();
	}

	@Test
	void cancelWhenBodyRunsCancelsItAndReleases() {
		Sinks.Empty<Void> subscribed = Sinks.empty();
		AtomicBoolean cancelled = new AtomicBoolean();
		Disposable guarded = this.template
			.execute(this.key,
					Mono.never()
						.doOnSubscribe((ignored) -> subscribed.tryEmitEmpty())
						.doOnCancel(() -> cancelled.set(true)))
			.subscribe();
		subscribed.asMono().block(Patience.CEILING);
		guarded.dispose();
		awaitFree();
		assertThat(cancelled).isTrue();
	}

	@Test
	void cancelWhenWaitingAbandonsTheRequest() {
		AtomicBoolean subscribed = new AtomicBoolean();
		try (Lease busy = holdElsewhere()) {
			Disposable guarded = this.template
				.execute(request().waitFor(LONG), (lease) -> Mono.fromRunnable(() -> subscribed.set(true)))
				.subscribe();
			guarded.dispose();
		}
		awaitForgotten();
		assertThat(subscribed).isFalse();
	}

	@Test
	void timeoutWhenShorterThanTheWaitLeavesNothingBehind() {
		try (Lease busy = holdElsewhere()) {
			StepVerifier.create(this.template.execute(this.key, Mono.just(1)).timeout(Duration.ofMillis(20)))
				.expectError(TimeoutException.class)
				.verify(LONG);
		}
		awaitForgotten();
	}

	@Test
	void bodiesWhenManySubscribeExcludeEachOther() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Mono<Integer> guarded = this.template.execute(request().waitFor(LONG), (lease) -> Mono.defer(() -> {
			most.accumulateAndGet(inside.incrementAndGet(), Math::max);
			return Mono.delay(Duration.ofMillis(1)).map((ignored) -> inside.decrementAndGet());
		}));
		StepVerifier.create(Flux.range(0, 50).flatMap((ignored) -> guarded, 50).then()).expectComplete().verify(LONG);
		assertThat(most).hasValue(1);
	}

	@Test
	void nestedWhenSameKeyEntersAgainWithTheSameToken() {
		Mono<List<Long>> guarded = this.template.execute(request(),
				(outer) -> Mono.delay(Duration.ofMillis(1))
					.then(this.template.execute(once(),
							(inner) -> Mono.just(List.of(outer.fencingToken(), inner.fencingToken())))));
		List<Long> tokens = guarded.block(Patience.CEILING);
		assertThat(tokens.get(0)).isEqualTo(tokens.get(1));
		assertThat(isFree()).isTrue();
	}

	@Test
	void nestedWhenAnotherKeyIsBetweenEntersAgain() {
		String other = this.key + "-other";
		Mono<String> innermost = this.template.execute(once(), (lease) -> Mono.just("in"));
		Mono<String> between = this.template.execute(other, innermost);
		StepVerifier.create(this.template.execute(this.key, between)).expectNext("in").expectComplete().verify(LONG);
	}

	@Test
	void nestedWhenSeveralKeysOfDifferentOuterOnesEntersAll() {
		String other = this.key + "-other";
		Mono<String> innermost = this.template.execute(
				LockRequest.ofAll(this.key, other, this.key + "-new").waitFor(Duration.ZERO),
				(lease) -> Mono.just("in"));
		Mono<String> between = this.template.execute(other, innermost);
		StepVerifier.create(this.template.execute(this.key, between)).expectNext("in").expectComplete().verify(LONG);
	}

	@Test
	void branchesWhenOfOneChainExcludeEachOther() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Mono<Integer> branch = this.template.execute(request().waitFor(LONG), (lease) -> Mono.defer(() -> {
			most.accumulateAndGet(inside.incrementAndGet(), Math::max);
			return Mono.delay(Duration.ofMillis(2)).map((ignored) -> inside.decrementAndGet());
		}));
		Mono<Void> chain = this.template.execute(this.key + "-outer",
				Flux.merge(branch, branch, branch, branch).then());
		StepVerifier.create(chain).expectComplete().verify(LONG);
		assertThat(most).hasValue(1);
	}

	@Test
	void unrelatedWhenSubscribedOnTheSameThreadIsBusy() {
		AtomicReference<Throwable> unrelated = new AtomicReference<>();
		CountDownLatch told = new CountDownLatch(1);
		Mono<Boolean> guarded = this.template.execute(request(), (lease) -> Mono.<Boolean>create((sink) -> {
			this.template.execute(once(), (again) -> Mono.just(1)).subscribe((value) -> sink.success(false), (ex) -> {
				unrelated.set(ex);
				told.countDown();
				sink.success(true);
			});
		}));
		StepVerifier.create(guarded).expectNext(true).expectComplete().verify(LONG);
		assertThat(unrelated.get()).isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void threadWhenItHoldsTheLockIsNotEnteredByASubscription() {
		this.here.getLock(this.key).lock();
		try {
			StepVerifier.create(this.template.execute(once(), (lease) -> Mono.just(1)))
				.expectError(LockNotAcquiredException.class)
				.verify(LONG);
		}
		finally {
			this.here.getLock(this.key).unlock();
		}
	}

	@Test
	void currentLeaseWhenInsideIsTheInnermost() {
		Mono<List<String>> guarded = this.template.execute(this.key,
				this.template.execute(this.key + "-inner", ReactiveLockTemplate.currentLease())
					.zipWith(ReactiveLockTemplate.currentLease(), (inner, outer) -> List.of(inner.key(), outer.key())));
		assertThat(guarded.block(Patience.CEILING)).containsExactly(this.key + "-inner", this.key);
	}

	@Test
	void currentLeaseWhenOutsideIsEmpty() {
		StepVerifier.create(ReactiveLockTemplate.currentLease()).expectComplete().verify(LONG);
	}

	@Test
	void lossWhenThrowLetsTheBodyCompleteAndFailsThen() {
		AtomicBoolean completed = new AtomicBoolean();
		StepVerifier
			.create(awaited(
					this.template.execute(brief(), (lease) -> lose(lease).doOnSuccess((x) -> completed.set(true)))))
			.expectErrorSatisfies((ex) -> assertThat(ex).isInstanceOfSatisfying(LockLostException.class,
					(lost) -> assertThat(lost.isBodyCompleted()).isTrue()))
			.verify(LONG);
		assertThat(completed).isTrue();
	}

	@Test
	void lossWhenThrowInFluxComesAfterTheElements() {
		StepVerifier
			.create(awaited(this.template.executeMany(brief(), (lease) -> lose(lease).thenMany(Flux.just(1, 2)))))
			.expectNext(1, 2)
			.expectError(LockLostException.class)
			.verify(LONG);
	}

	@Test
	void lossWhenBodyFailsIsSuppressed() {
		StepVerifier
			.create(awaited(this.template.execute(brief(),
					(lease) -> lose(lease).then(Mono.error(new IllegalStateException("body"))))))
			.expectErrorSatisfies((ex) -> assertThat(ex).hasMessage("body")
				.satisfies((failed) -> assertThat(failed.getSuppressed()).singleElement()
					.isInstanceOfSatisfying(LockLostException.class,
							(lost) -> assertThat(lost.isBodyCompleted()).isFalse())))
			.verify(LONG);
	}

	@Test
	void lossWhenIgnoredIsNotTold() {
		StepVerifier
			.create(awaited(this.template.execute(brief().whenLost(WhenLost.IGNORE),
					(lease) -> lose(lease).thenReturn("done"))))
			.expectNext("done")
			.expectComplete()
			.verify(LONG);
	}

	@Test
	void lossWhenInterruptCancelsTheBodyAtOnce() throws InterruptedException {
		CountDownLatch cancelled = new CountDownLatch(1);
		Mono<Void> guarded = this.template.execute(brief().whenLost(WhenLost.INTERRUPT),
				(lease) -> Mono.<Void>never()
					.doOnSubscribe((ignored) -> Schedulers.boundedElastic().schedule(this::steal))
					.doOnCancel(cancelled::countDown));
		StepVerifier.create(awaited(guarded))
			.expectErrorSatisfies((ex) -> assertThat(ex).isInstanceOfSatisfying(LockLostException.class, (lost) -> {
				assertThat(lost.isBodyCompleted()).isFalse();
				assertThat(lost.getSuppressed()).isEmpty();
			}))
			.verify(LONG);
		cancelled.await();
	}

	@Test
	void lossWhenInterruptCancelsAFlux() throws InterruptedException {
		CountDownLatch cancelled = new CountDownLatch(1);
		Flux<Long> guarded = this.template.executeMany(brief().whenLost(WhenLost.INTERRUPT),
				(lease) -> Flux.interval(Duration.ofMillis(1))
					.doOnSubscribe((ignored) -> Schedulers.boundedElastic().schedule(this::steal))
					.doOnCancel(cancelled::countDown));
		StepVerifier.create(awaited(guarded.then())).expectError(LockLostException.class).verify(LONG);
		cancelled.await();
	}

	@Test
	void lossWhenInterruptAndNothingIsLostChangesNothing() {
		StepVerifier.create(this.template.execute(request().whenLost(WhenLost.INTERRUPT), (lease) -> Mono.just("done")))
			.expectNext("done")
			.expectComplete()
			.verify(LONG);
		assertThat(isFree()).isTrue();
	}

	@Test
	void keepForWhenBodyIsDoneKeepsTheLock() {
		long begun = System.nanoTime();
		this.template.execute(request().keepFor(Duration.ofSeconds(2)), (lease) -> Mono.just(1))
			.block(Patience.CEILING);
		awaitFree();
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(1990));
	}

	@Test
	void bodyWhenLockIsAcquiredRunsOnAReactorThread() {
		Mono<Boolean> guarded = this.template.execute(request(),
				(lease) -> Mono.fromSupplier(Schedulers::isInNonBlockingThread));
		StepVerifier.create(guarded.filter((inside) -> inside && Schedulers.isInNonBlockingThread()))
			.expectNext(true)
			.expectComplete()
			.verify(LONG);
	}

	/**
	 * The same signals, after a wait in which the processor is free: a verifier spins.
	 */
	private static <T> Flux<T> awaited(Publisher<T> source) {
		return Flux.fromIterable(Flux.from(source).materialize().collectList().block(Patience.CEILING)).dematerialize();
	}

	private Mono<Void> lose(Lease lease) {
		return Mono.<Void>fromRunnable(() -> {
			steal();
			await().until(() -> !lease.isHeld());
		}).subscribeOn(Schedulers.boundedElastic());
	}

}
