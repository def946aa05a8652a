package io.distributedlock.reactive;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.SharedLocks;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockHound;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No thread that must not block is blocked by acquiring, waiting or releasing, on every
 * store. BlockHound changes the classes of the whole process, so these tests run in one
 * of their own.
 */
@Tag("block-hound")
public abstract class NonBlockingContract extends ReactiveInstances {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final List<String> BLOCKED = new CopyOnWriteArrayList<>();

	private static final AtomicBoolean INSTALLED = new AtomicBoolean();

	protected NonBlockingContract(SharedLocks locks) {
		super(locks);
	}

	@BeforeAll
	static void watch() {
		if (INSTALLED.compareAndSet(false, true)) {
			BlockHound.install((builder) -> builder
				// The mutex around the heap of timers, in memory. Its holder moves an
				// entry,
				// a logarithm of steps at most. It does no I/O, waits for nothing else
				// and
				// runs no code of users, so the wait for it is as bounded as one for a
				// monitor, which nothing reports. A queue without locks in
				// front of the heap would keep cancelled entries until the timer thread
				// comes by. A pool takes its mutex only when a thread comes or goes, and
				// that
				// of its queue to add a task or to remove one. Lettuce has one that only
				// counts the writing threads, in each command.
				.allowBlockingCallsInside("io.distributedlock.engine.internal.time.TimerHeap", "schedule")
				.allowBlockingCallsInside("io.distributedlock.engine.internal.time.TimerHeap", "cancel")
				.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "addWorker")
				.allowBlockingCallsInside("java.util.concurrent.LinkedBlockingQueue", "offer")
				.allowBlockingCallsInside("java.util.concurrent.LinkedBlockingQueue", "remove")
				.allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "incrementWriters")
				.allowBlockingCallsInside("io.lettuce.core.protocol.SharedLock", "decrementWriters")
				// The kernel's random numbers, which are there at once. After a
				// jump of the clock none that were read before will do.
				.allowBlockingCallsInside("io.distributedlock.engine.internal.instance.RequestIds", "freshSeed")
				// Netty parks for a moment where it adds an arena to its allocator.
				.allowBlockingCallsInside("io.netty.buffer.AdaptivePoolingAllocator", "allocate")
				.blockingMethodCallback((method) -> noticeIfOurs(new IllegalStateException("Blocked by " + method))));
		}
	}

	/**
	 * Calls that the threads of a client make on their own account, to connect for
	 * instance, are not the doing of this library: such a stack has none of its frames
	 * but those of the watch.
	 */
	private static void noticeIfOurs(IllegalStateException blocked) {
		boolean ours = Arrays.stream(blocked.getStackTrace())
			.filter((frame) -> !frame.getMethodName().startsWith("lambda$watch$"))
			.anyMatch((frame) -> frame.getClassName().startsWith("io.distributedlock."));
		if (ours) {
			BLOCKED.add(StackText.of(blocked));
		}
	}

	@AfterEach
	void assertNothingBlocked() {
		List<String> blocked = List.copyOf(BLOCKED);
		BLOCKED.clear();
		assertThat(blocked).isEmpty();
	}

	private <T> Mono<T> onNonBlockingThread(Mono<T> guarded) {
		return guarded.subscribeOn(Schedulers.parallel());
	}

	@Test
	void watchWhenAThreadSleepsNoticesIt() {
		StepVerifier.create(onNonBlockingThread(Mono.fromCallable(() -> {
			Thread.sleep(1);
			return 1;
		}))).expectNext(1).expectComplete().verify(LONG);
		assertThat(BLOCKED).hasSize(1);
		BLOCKED.clear();
	}

	@Test
	void lockWhenFreeIsTakenAndReleasedWithoutBlocking() {
		StepVerifier.create(onNonBlockingThread(this.template.execute(this.key, Mono.just("x"))))
			.expectNext("x")
			.expectComplete()
			.verify(LONG);
	}

	@Test
	void lockWhenContendedIsWaitedForWithoutBlocking() {
		Mono<Integer> guarded = onNonBlockingThread(
				this.template.execute(request().waitFor(LONG), (lease) -> Mono.just(1)));
		StepVerifier.create(Flux.range(0, 500).flatMap((ignored) -> guarded, 100).count())
			.expectNext(500L)
			.expectComplete()
			.verify(LONG);
	}

	@Test
	void lockWhenEnteredAgainDoesNotBlock() {
		Mono<Integer> inner = this.template.execute(request(), (lease) -> Mono.just(1));
		Mono<Integer> guarded = onNonBlockingThread(this.template.execute(request().waitFor(LONG), (lease) -> inner));
		StepVerifier.create(Flux.range(0, 200).flatMap((ignored) -> guarded, 20).count())
			.expectNext(200L)
			.expectComplete()
			.verify(LONG);
	}

	@Test
	void lockWhenBusyIsGivenUpWithoutBlocking() {
		try (Lease busy = holdElsewhere()) {
			Mono<Integer> guarded = onNonBlockingThread(
					this.template.execute(request().waitFor(Duration.ofSeconds(3)), (lease) -> Mono.just(1)));
			StepVerifier.create(guarded).expectError(LockNotAcquiredException.class).verify(LONG);
		}
	}

	@Test
	void cancelsWhenOnNonBlockingThreadsDoNotBlock() {
		for (int round = 0; round < 300; round++) {
			Disposable guarded = onNonBlockingThread(this.template.execute(this.key, Mono.just(1))).subscribe();
			Mono.delay(Duration.ofNanos(round * 5_000L))
				.doOnNext((ignored) -> guarded.dispose())
				.block(Patience.CEILING);
		}
		awaitFree();
	}

	@Test
	void lossWhenInterruptCancelsWithoutBlocking() {
		Mono<Void> guarded = onNonBlockingThread(
				this.template.execute(brief().whenLost(WhenLost.INTERRUPT), (lease) -> Mono.<Void>never()
					.doOnSubscribe((ignored) -> Schedulers.boundedElastic().schedule(this::steal))));
		StepVerifier.create(guarded).expectError(LockLostException.class).verify(LONG);
	}

}
