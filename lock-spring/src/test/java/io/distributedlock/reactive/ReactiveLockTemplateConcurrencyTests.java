package io.distributedlock.reactive;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.Searches;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** Guarded calls that run at the same time within one reactive transaction. */
class ReactiveLockTemplateConcurrencyTests extends ReactiveDatabase {

	private static final Duration WAIT = Duration.ofSeconds(5);

	private static final int ROUNDS = Searches.share(20_000);

	private final AtomicInteger unasked = new AtomicInteger();

	private final Sinks.Empty<Void> allAsked = Sinks.empty();

	private final ReactiveLockTemplate counting = new ReactiveLockTemplate(new CountingRegistry());

	/** The others waited for a lease that their own transaction kept. */
	@Test
	void callsOfOneKeyEnterWhatTheirTransactionKeeps() {
		this.unasked.set(3);
		Mono<Long> guarded = guarded("k");
		this.transaction.transactional(Mono.zip(guarded, guarded, guarded)).block(Patience.CEILING);
		assertThat(rows()).isEqualTo(3);
		assertThat(isLocked()).isFalse();
	}

	@Test
	void callsOfOneKeyOnSeveralThreadsEnterWhatTheirTransactionKeeps() {
		this.unasked.set(8);
		Mono<Long> guarded = guarded("k").subscribeOn(Schedulers.parallel());
		this.transaction.transactional(Flux.range(0, 8).flatMap((ignored) -> guarded)).blockLast(LONG);
		assertThat(rows()).isEqualTo(8);
		assertThat(isLocked()).isFalse();
	}

	/**
	 * The first of a transaction, and all that it keeps: one that it forgets stays
	 * locked.
	 */
	@Test
	void callsOnSeveralThreadsAreAllKeptByTheirTransaction() {
		AtomicInteger number = new AtomicInteger();
		Mono<Lease> guarded = Mono
			.defer(() -> this.template.execute(LockRequest.of("k" + number.incrementAndGet()), Mono::just))
			.subscribeOn(Schedulers.parallel());
		Flux<Lease> several = this.transaction.transactional(Flux.merge(guarded, guarded, guarded, guarded));
		for (int round = 0; round < ROUNDS; round++) {
			assertThat(several.collectList().block(Patience.CEILING)).noneMatch(Lease::isHeld);
		}
	}

	/** A request for fewer or more keys waits in another queue. */
	@ParameterizedTest
	@CsvSource({ "k+l, k", "k, k+l", "k+l, l+m" })
	void callsOfSharedKeysEnterWhatTheirTransactionKeeps(String first, String second) {
		this.unasked.set(2);
		Mono<?> both = Mono.zip(guarded(first.split("\\+")), guarded(second.split("\\+")));
		this.transaction.transactional(both).block(Patience.CEILING);
		assertThat(rows()).isEqualTo(2);
		assertThat(isLocked()).isFalse();
	}

	@Test
	void callOfKeysThatSeveralOthersHaveLeftEntersThemAll() {
		this.unasked.set(3);
		Mono<?> all = Mono.zip(guarded("k"), guarded("l"), guarded("k", "l"));
		this.transaction.transactional(all).block(Patience.CEILING);
		assertThat(rows()).isEqualTo(3);
		assertThat(isLocked()).isFalse();
	}

	/** Only the transaction that keeps the lock lets in. */
	@Test
	void callInAnotherTransactionGoesOnWaiting() {
		AtomicReference<CompletableFuture<Long>> other = new AtomicReference<>();
		Mono<Long> second = this.template.execute(request().waitFor(Duration.ofMillis(500)), (lease) -> insert());
		Mono<Long> first = this.template.execute(request(), (lease) -> {
			other.set(this.transaction.transactional(second).toFuture());
			return insert();
		});
		StepVerifier.create(this.transaction.transactional(first.then(Mono.fromFuture(other::get))))
			.expectError(LockNotAcquiredException.class)
			.verify(LONG);
	}

	/** No body goes on before all have asked for their locks. */
	private Mono<Long> guarded(String... keys) {
		return this.counting.execute(LockRequest.ofAll(keys).waitFor(WAIT),
				(lease) -> this.allAsked.asMono().then(insert()));
	}

	/** Says when enough locks were asked for. */
	private final class CountingRegistry implements LockRegistry {

		private final LockRegistry registry = ReactiveLockTemplateConcurrencyTests.this.registry;

		@Override
		public CompletionStage<Lease> acquireAsync(LockRequest request) {
			CompletionStage<Lease> asked = this.registry.acquireAsync(request);
			if (ReactiveLockTemplateConcurrencyTests.this.unasked.decrementAndGet() == 0) {
				ReactiveLockTemplateConcurrencyTests.this.allAsked.tryEmitEmpty();
			}
			return asked;
		}

		@Override
		public Optional<Lease> tryAcquire(LockRequest request) {
			return this.registry.tryAcquire(request);
		}

		@Override
		public Lease acquire(LockRequest request) {
			return this.registry.acquire(request);
		}

		@Override
		public LeaseLock getLock(String name, String key) {
			return this.registry.getLock(name, key);
		}

	}

}
