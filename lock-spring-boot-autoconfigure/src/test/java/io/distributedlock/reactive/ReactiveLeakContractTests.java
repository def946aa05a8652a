package io.distributedlock.reactive;

import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.engine.SharedLocks;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;

/** Cancels at random moments leave nothing behind, on every store. */
public abstract class ReactiveLeakContractTests extends ReactiveInstances {

	private static final int ROUNDS = 10_000;

	private static final int AT_ONCE = 16;

	private final AtomicInteger entered = new AtomicInteger();

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicInteger most = new AtomicInteger();

	protected ReactiveLeakContractTests(SharedLocks locks) {
		super(locks);
	}

	@Test
	void cancelsAtRandomMomentsLeaveNothingBehind() throws InterruptedException {
		Random random = new Random(42);
		Semaphore running = new Semaphore(AT_ONCE);
		for (int round = 0; round < ROUNDS; round++) {
			running.acquire();
			disturb(running, random.nextBoolean(), random.nextInt(400));
		}
		assertThat(running.tryAcquire(AT_ONCE, 60, TimeUnit.SECONDS)).isTrue();
		assertThat(this.entered.get()).isBetween(1, ROUNDS);
		assertThat(this.most).hasValue(1);
		awaitForgotten();
	}

	private void disturb(Semaphore running, boolean wait, int cancelAfterMicros) {
		Mono<Void> guarded = this.template.execute(wait ? request() : once(), (lease) -> Mono.fromRunnable(this::body))
			.then()
			.subscribeOn(Schedulers.parallel())
			.onErrorResume((ex) -> Mono.empty())
			.doFinally((signal) -> running.release());
		Disposable subscription = guarded.subscribe();
		Schedulers.parallel().schedule(subscription::dispose, cancelAfterMicros, TimeUnit.MICROSECONDS);
	}

	private void body() {
		this.entered.incrementAndGet();
		this.most.accumulateAndGet(this.inside.incrementAndGet(), Math::max);
		this.inside.decrementAndGet();
	}

}
