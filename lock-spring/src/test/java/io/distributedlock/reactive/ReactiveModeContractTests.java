package io.distributedlock.reactive;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUpgradeException;
import io.distributedlock.engine.SharedLocks;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The promises of every store to a reactive sequence that reads, queues or shares
 * permits.
 */
public abstract class ReactiveModeContractTests extends ReactiveInstances {

	private static final Duration LONG = Duration.ofSeconds(30);

	protected ReactiveModeContractTests(SharedLocks locks) {
		super(locks);
	}

	private LockRequest in(LockMode mode) {
		return once().mode(mode);
	}

	private boolean isFree(LockMode mode) {
		return this.there.tryAcquire(in(mode)).map((lease) -> {
			lease.close();
			return true;
		}).orElse(false);
	}

	private Mono<String> state() {
		return Mono
			.fromCallable(
					() -> (isFree(LockMode.READ) ? "readers " : "") + (isFree(LockMode.EXCLUSIVE) ? "writers" : ""))
			.subscribeOn(Schedulers.boundedElastic());
	}

	@Test
	void readerLetsReadersInAndNoWriter() {
		StepVerifier.create(this.template.execute(in(LockMode.READ), (lease) -> state()))
			.expectNext("readers ")
			.expectComplete()
			.verify(LONG);
		await().until(() -> isFree(LockMode.EXCLUSIVE));
	}

	@Test
	void readerEntersAgainWithTheSameToken() {
		Mono<Boolean> nested = this.template.execute(in(LockMode.READ), (outer) -> this.template
			.execute(in(LockMode.READ), (inner) -> Mono.just(inner.fencingToken() == outer.fencingToken())));
		StepVerifier.create(nested).expectNext(true).expectComplete().verify(LONG);
		await().until(() -> isFree(LockMode.EXCLUSIVE));
	}

	@Test
	void writerReadsAndEntersAgainWhateverTheExclusiveMode() {
		Mono<String> nested = this.template.execute(in(LockMode.EXCLUSIVE), (write) -> this.template
			.execute(in(LockMode.READ), (read) -> this.template.execute(in(LockMode.FAIR),
					(fair) -> (fair.fencingToken() == write.fencingToken()) ? state() : Mono.just("another token"))));
		StepVerifier.create(nested).expectNext("").expectComplete().verify(LONG);
		await().until(() -> isFree(LockMode.EXCLUSIVE));
	}

	@Test
	void readerWhoWantsToWriteIsRefused() {
		Mono<Integer> nested = this.template.execute(in(LockMode.READ),
				(read) -> this.template.execute(request().mode(LockMode.EXCLUSIVE), (write) -> Mono.just(1)));
		StepVerifier.create(nested).expectError(LockUpgradeException.class).verify(LONG);
		Mono<Integer> set = this.template.execute(in(LockMode.READ),
				(read) -> this.template.execute(LockRequest.ofAll(this.key, this.key + "-2"), (write) -> Mono.just(1)));
		StepVerifier.create(set).expectError(LockUpgradeException.class).verify(LONG);
		await().until(() -> isFree(LockMode.EXCLUSIVE));
	}

	@Test
	void branchesOfOneChainShareNoMoreThanThePermits() {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		LockRequest permit = request().permits(2).waitFor(LONG);
		Mono<Void> branch = this.template.execute(permit, (lease) -> Mono.fromRunnable(() -> {
			most.accumulateAndGet(inside.incrementAndGet(), Math::max);
			Thread.yield();
			inside.decrementAndGet();
		}).subscribeOn(Schedulers.boundedElastic())).then();
		StepVerifier.create(Flux.range(0, 40).flatMap((i) -> branch, 8)).expectComplete().verify(LONG);
		assertThat(most.get()).isBetween(1, 2);
	}

	@Test
	void permitIsNotEnteredAgain() {
		LockRequest permit = once().permits(1);
		Mono<Integer> nested = this.template.execute(permit,
				(outer) -> this.template.execute(permit, (inner) -> Mono.just(1)));
		StepVerifier.create(nested).expectError(LockNotAcquiredException.class).verify(LONG);
	}

	@Test
	void waiterInOrderWhoIsDisposedLetsTheNextOneForward() {
		Lease held = holdElsewhere();
		Disposable first = this.template.execute(request().mode(LockMode.FAIR), (lease) -> Mono.never()).subscribe();
		Mono<Integer> second = this.template.execute(request().mode(LockMode.FAIR).waitFor(LONG),
				(lease) -> Mono.just(2));
		StepVerifier.create(second).then(() -> {
			first.dispose();
			held.close();
		}).expectNext(2).expectComplete().verify(LONG);
		await().until(() -> isFree(LockMode.FAIR));
	}

}
