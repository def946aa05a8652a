package io.distributedlock.reactive;

import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Searches;
import io.distributedlock.engine.SharedLocks;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;

/** Cancels at random moments leave nothing behind, on every store. */
public abstract class ReactiveLeakContractTests extends ReactiveInstances {

	private static final int ROUNDS = Searches.share(60_000);

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
			Disposable subscription = subscribe(running, random.nextBoolean());
			if (round % 50 != 0) {
				Schedulers.parallel().schedule(subscription::dispose, random.nextInt(2000), TimeUnit.MICROSECONDS);
			}
		}
		assertThat(running.tryAcquire(AT_ONCE, 60, TimeUnit.SECONDS)).isTrue();
		assertThat(this.entered.get()).isBetween(1, ROUNDS);
		assertThat(this.most).hasValue(1);
		awaitForgotten();
	}

	private Disposable subscribe(Semaphore running, boolean wait) {
		return this.template.execute(wait ? request() : once(), (lease) -> Mono.fromRunnable(this::body))
			.then()
			.subscribeOn(Schedulers.parallel())
			.onErrorResume((ex) -> Mono.empty())
			.doFinally((signal) -> running.release())
			.subscribe();
	}

	/** Yields the processor, so that a cancellation meets a running body. */
	private void body() {
		this.entered.incrementAndGet();
		this.most.accumulateAndGet(this.inside.incrementAndGet(), Math::max);
		Thread.yield();
		this.inside.decrementAndGet();
	}

}
