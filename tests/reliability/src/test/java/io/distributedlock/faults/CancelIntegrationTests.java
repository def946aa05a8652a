package io.distributedlock.faults;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.reactive.ReactiveLockTemplate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that are cancelled at random microseconds, wherever they may be: row 24 of the
 * table of faults.
 */
class CancelIntegrationTests extends InstancesOnServer {

	private static final int ROUNDS = 400;

	private final Random random = new Random(24);

	/** A permit for each subscription that has ended. */
	private final Semaphore ended = new Semaphore(0);

	private LeakCheck leaks;

	@BeforeEach
	void countWhatIsThere() {
		this.leaks = new LeakCheck(this.admin);
	}

	/** Row 24: cancel of a {@code CompletableFuture}, and of a {@code Mono}. */
	@ParameterizedTest
	@EnumSource
	void cancelledRequestLeavesNothingBehind(WaitPoint point) throws InterruptedException {
		Runnable end = point.begin(this.redis, this.admin, this.here, this.there);
		int cancelled = cancelFutures(point);
		int entered = cancelSubscriptions(point);
		end.run();
		assertThat(this.ended.tryAcquire(ROUNDS, 20, TimeUnit.SECONDS)).isTrue();
		assertThat(cancelled).isBetween(ROUNDS / 20, ROUNDS);
		assertThat(entered).isBetween(0, point.letsIn() ? ROUNDS - ROUNDS / 20 : 0);
		this.leaks.assertNothingLeft(this.there, point.keys());
	}

	private int cancelFutures(WaitPoint point) {
		int cancelled = 0;
		for (int round = 0; round < ROUNDS; round++) {
			CompletableFuture<Lease> future = this.here.acquireAsync(request(point, round)).toCompletableFuture();
			point.pause(this.random);
			if (future.cancel(true)) {
				cancelled++;
			}
			else {
				assertThat(point.letsIn()).as("may get the lock").isTrue();
				future.join().release().toCompletableFuture().join();
			}
		}
		return cancelled;
	}

	private int cancelSubscriptions(WaitPoint point) {
		ReactiveLockTemplate locks = new ReactiveLockTemplate(this.here);
		AtomicInteger entered = new AtomicInteger();
		for (int round = 0; round < ROUNDS; round++) {
			Disposable subscription = locks
				.execute(request(point, round), (lease) -> Mono.fromRunnable(entered::incrementAndGet))
				.doFinally((signal) -> this.ended.release())
				.subscribe();
			point.pause(this.random);
			subscription.dispose();
		}
		return entered.get();
	}

	private static LockRequest request(WaitPoint point, int round) {
		String key = point.keys().get(round % point.keys().size());
		return LockRequest.of(key).ttl(WaitPoint.TTL).waitFor(Duration.ofSeconds(30));
	}

}
