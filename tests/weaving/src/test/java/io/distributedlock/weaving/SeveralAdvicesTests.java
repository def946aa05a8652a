package io.distributedlock.weaving;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.LockStore;
import io.distributedlock.weaving.AdviceAround.Counts;
import io.distributedlock.weaving.AdviceAround.Retries;
import io.distributedlock.weaving.AdviceAround.Surrounded;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * AspectJ loses count of several advices around one method where one of them proceeds
 * more than twice, or later. Then bodies ran without their lock.
 */
class SeveralAdvicesTests {

	private static final int SUBSCRIPTIONS = 50;

	private final MemoryLocks locks = new MemoryLocks();

	private final Surroundings bean = new Surroundings();

	private final ApplicationContextRunner woven = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.advice=aspectj")
		.withBean("distributedLockStore", LockStore.class, () -> new MemoryLockStore(this.locks));

	@BeforeEach
	void reset() {
		Counts.CALLS.set(0);
	}

	@Test
	void monoWhenSubscribedAgainPassesTheAdviceInsideEachTime() {
		this.woven.run((context) -> {
			Mono<Boolean> locked = this.bean.locked(this.locks, 0);
			for (int i = 1; i <= 5; i++) {
				assertThat(locked.block()).isTrue();
				assertThat(Counts.CALLS).hasValue(i);
			}
		});
	}

	@Test
	void monoWhenSubscribedByManyThreadsPassesTheAdviceInsideEachTime() {
		this.woven.run((context) -> {
			Mono<Boolean> locked = this.bean.locked(this.locks, 0).subscribeOn(Schedulers.boundedElastic());
			assertThat(Flux.range(0, SUBSCRIPTIONS).flatMap((i) -> locked, SUBSCRIPTIONS).collectList().block())
				.hasSize(SUBSCRIPTIONS)
				.containsOnly(true);
			assertThat(Counts.CALLS).hasValue(SUBSCRIPTIONS);
			assertThat(this.bean.most).hasValue(1);
		});
	}

	@Test
	void methodWhenTriedAgainOutsideTheLockTakesItForEachAttempt() {
		this.woven.run((context) -> {
			assertThatIllegalStateException().isThrownBy(this.bean::fail);
			assertThat(this.bean.attempts).hasSize(Retries.ATTEMPTS).doesNotContain(0L).doesNotHaveDuplicates();
			assertThat(Counts.CALLS).hasValue(Retries.ATTEMPTS);
		});
	}

	static class Surroundings {

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicInteger most = new AtomicInteger();

		private final List<Long> attempts = new ArrayList<>();

		@Surrounded
		@DistributedLock("'k'")
		Mono<Boolean> locked(MemoryLocks locks, @FencingToken long token) {
			return Mono.fromSupplier(() -> {
				this.most.accumulateAndGet(this.inside.incrementAndGet(), Math::max);
				boolean locked = token > 0 && locks.isLocked("", "k");
				this.inside.decrementAndGet();
				return locked;
			});
		}

		@Surrounded
		@DistributedLock("'k'")
		void fail() {
			this.attempts.add(Lease.current().map(Lease::fencingToken).orElse(0L));
			throw new IllegalStateException("body");
		}

	}

}
