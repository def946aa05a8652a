package io.distributedlock.reactive;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenLost;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Locks and reactive transactions, on a real database. */
class ReactiveLockTemplateTransactionTests extends ReactiveDatabase {

	/** May be asked for again: one that is given late has run out before. */
	private LockRequest brief() {
		return request().waitFor(LONG).ttl(Duration.ofMillis(50)).renew(false);
	}

	private static Mono<Void> awaitLoss(Lease lease) {
		return Mono.<Void>fromRunnable(() -> await().until(() -> !lease.isHeld()))
			.subscribeOn(Schedulers.boundedElastic());
	}

	@Test
	void lockWhenTransactionIsOpenIsKeptUntilTheCommit() {
		Mono<Boolean> changes = guardedInsert().then(Mono.fromSupplier(this::isLocked));
		assertThat(this.transaction.transactional(changes).block(Patience.CEILING)).isTrue();
		assertThat(isLocked()).isFalse();
		assertThat(rows()).isOne();
	}

	@Test
	void lockWhenTransactionIsOpenIsKeptUntilTheRollback() {
		AtomicBoolean kept = new AtomicBoolean();
		Flux<Long> changes = this.transaction.execute((status) -> {
			status.setRollbackOnly();
			return guardedInsert().doOnSuccess((rows) -> kept.set(isLocked()));
		});
		changes.blockLast(LONG);
		assertThat(kept).isTrue();
		assertThat(isLocked()).isFalse();
		assertThat(rows()).isZero();
	}

	@Test
	void lockWhenKeptForTheTransactionIsEnteredAgain() {
		this.transaction.transactional(guardedInsert().then(guardedInsert())).block(Patience.CEILING);
		assertThat(rows()).isEqualTo(2);
		assertThat(isLocked()).isFalse();
	}

	@Test
	void lockWhenItsBodyWasCancelledIsEnteredAgain() {
		Sinks.Empty<Void> inserted = Sinks.empty();
		Mono<Long> slow = this.template.execute(request(),
				(lease) -> insert().doOnSuccess((rows) -> inserted.tryEmitEmpty()).then(Mono.never()));
		Mono<Long> again = this.template.execute(request().waitFor(LONG), (lease) -> insert());
		Mono<Long> changes = slow.timeout(inserted.asMono()).onErrorResume(TimeoutException.class, (ex) -> again);
		assertThat(this.transaction.transactional(changes).block(Patience.CEILING)).isOne();
		assertThat(rows()).isEqualTo(2);
		assertThat(isLocked()).isFalse();
	}

	@Test
	void lockWhenKeptForTheTransactionIsEnteredByOneInside() {
		DefaultTransactionDefinition own = new DefaultTransactionDefinition(
				TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		Mono<Long> inner = TransactionalOperator.create(this.manager, own).transactional(guardedInsert());
		this.transaction.transactional(guardedInsert().then(inner)).block(Patience.CEILING);
		assertThat(rows()).isEqualTo(2);
		assertThat(isLocked()).isFalse();
	}

	@Test
	void lockWhenKeptForATransactionIsBusyForAnother() {
		Mono<Long> changes = guardedInsert()
			.then(Mono.fromFuture(() -> this.transaction.transactional(guardedInsert()).toFuture()));
		StepVerifier.create(this.transaction.transactional(changes))
			.expectError(LockNotAcquiredException.class)
			.verify(LONG);
	}

	@Test
	void lockWhenBodyFailsInOpenTransactionIsKeptUntilItsEnd() {
		Mono<Boolean> changes = this.template
			.execute(request(), (lease) -> Mono.error(new IllegalStateException("body")))
			.onErrorResume((ex) -> Mono.empty())
			.then(Mono.fromSupplier(this::isLocked));
		assertThat(this.transaction.transactional(changes).block(Patience.CEILING)).isTrue();
		assertThat(isLocked()).isFalse();
	}

	@Test
	void lossWhenAfterTheBodyRollsTheOpenTransactionBack() {
		Mono<Void> changes = this.template.execute(brief(), (lease) -> insert().thenReturn(lease))
			.flatMap(ReactiveLockTemplateTransactionTests::awaitLoss);
		StepVerifier.create(this.transaction.transactional(changes))
			.expectErrorSatisfies((ex) -> assertThat(ex).isInstanceOf(LockLostException.class))
			.verify(LONG);
		assertThat(rows()).isZero();
	}

	@Test
	void lossWhenAtTheEndOfTheBodyRollsBackEvenIfItIsIgnoredThere() {
		Mono<Void> changes = this.template.execute(brief(), (lease) -> insert().then(awaitLoss(lease)))
			.onErrorResume(LockLostException.class, (ex) -> Mono.empty());
		StepVerifier.create(this.transaction.transactional(changes)).expectError(LockLostException.class).verify(LONG);
		assertThat(rows()).isZero();
	}

	@Test
	void lossWhenIgnoredLetsTheTransactionCommit() {
		Mono<Void> changes = this.template.execute(brief().whenLost(WhenLost.IGNORE),
				(lease) -> insert().then(awaitLoss(lease)));
		this.transaction.transactional(changes).block(Patience.CEILING);
		assertThat(rows()).isOne();
	}

	@Test
	void lossWhenInterruptRollsATransactionBackThatBeganInside() {
		Mono<Void> guarded = this.template.execute(brief().whenLost(WhenLost.INTERRUPT),
				(lease) -> this.transaction.transactional(insert().then(Mono.<Void>never())));
		StepVerifier.create(guarded).expectError(LockLostException.class).verify(LONG);
		await().untilAsserted(() -> assertThat(rows()).isZero());
	}

	@Test
	void transactionWhenInsideTheLockCommitsBeforeTheRelease() {
		Mono<Boolean> guarded = this.template.execute(request(),
				(lease) -> this.transaction.transactional(insert()).then(Mono.fromSupplier(this::isLocked)));
		assertThat(guarded.block(Patience.CEILING)).isTrue();
		assertThat(isLocked()).isFalse();
	}

	@Test
	void cancelWhenTransactionIsOpenRollsBackAndReleases() throws InterruptedException {
		CountDownLatch inserted = new CountDownLatch(1);
		Disposable changes = this.transaction
			.transactional(guardedInsert().doOnSuccess((rows) -> inserted.countDown()).then(Mono.never()))
			.subscribe();
		inserted.await();
		assertThat(isLocked()).isTrue();
		changes.dispose();
		await().until(() -> !isLocked());
		assertThat(rows()).isZero();
	}

	@Test
	void cancelsWhenAtRandomMomentsInTransactionsLeaveNothingLocked() {
		for (int round = 0; round < 300; round++) {
			Disposable changes = this.transaction.transactional(guardedInsert()).subscribe((rows) -> {
			}, (ex) -> {
			});
			Mono.delay(Duration.ofNanos(round * 5_000L)).block(Patience.CEILING);
			changes.dispose();
		}
		await().until(() -> !isLocked());
	}

}
