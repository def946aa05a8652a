package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.CapturedLog;
import io.distributedlock.HeldLock;
import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockOwner;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.Patience;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.event.LockObserver;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Code of the application that the engine calls, where it throws an exception or an
 * error, or blocks: the table of docs/api.md. Locks, and calls of other code, do not
 * depend on it.
 */
@Timeout(60)
@ExtendWith(CapturedLog.Extension.class)
class CallbacksApplicationCodeTests {

	private static final int NEIGHBOURS = 20;

	private static final Duration LONG = Duration.ofSeconds(30);

	private final CountDownLatch go = new CountDownLatch(1);

	private final MemoryLocks locks = new MemoryLocks();

	private final DefaultLockRegistry other = new DefaultLockRegistry(new MemoryLockStore(this.locks));

	private DefaultLockRegistry registry = this.other;

	@AfterEach
	void close() {
		this.go.countDown();
		this.registry.close();
		this.other.close();
	}

	/** Throws an exception, throws an error, or does not return before the test ends. */
	enum Fault {

		EXCEPTION {
			@Override
			void happen(CountDownLatch go) {
				throw new IllegalStateException("broken");
			}
		},

		ERROR {
			@Override
			void happen(CountDownLatch go) {
				throw new StackOverflowError("broken");
			}
		},

		BLOCKED {
			@Override
			void happen(CountDownLatch go) {
				try {
					go.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}
		};

		abstract void happen(CountDownLatch go);

	}

	/** The methods of an observer. */
	enum Observing {

		IS_OBSERVING, WAITING, ACQUIRED, REENTERED, FAILED, RELEASED, LOST

	}

	static Stream<Arguments> observersThatThrow() {
		return Stream.of(Observing.values())
			.flatMap((method) -> Stream.of(Fault.EXCEPTION, Fault.ERROR).map((fault) -> Arguments.of(method, fault)));
	}

	/** An observer whose isObserving threw made every call fail. */
	@ParameterizedTest
	@MethodSource("observersThatThrow")
	void callWhenObserverThrowsIsAsWithoutIt(Observing method, Fault fault, CapturedLog output) {
		start(null, new FailingObserver(method, () -> fault.happen(this.go)));
		for (int i = 0; i < NEIGHBOURS; i++) {
			try (Lease lease = this.registry.acquire(LockRequest.of("a").ownedBy(this))) {
				this.registry.acquire(LockRequest.of("a").ownedBy(this)).close();
				assertThat(this.registry.tryAcquire(LockRequest.of("a").waitFor(Duration.ZERO))).isEmpty();
				assertThat(this.registry.acquireAsync(LockRequest.of("b")).toCompletableFuture().join().isHeld())
					.isTrue();
				lease.checkHeld();
			}
			this.registry.held().forEach((held) -> this.registry.forceRelease(held.name(), held.keys().get(0), null));
			this.registry.confirm();
			await().until(() -> this.registry.held().isEmpty());
		}
		// A loss is told on another thread, when the lock is held no more.
		await().untilAsserted(() -> assertThat(failuresOfObservers(output)).isBetween(1L, 2L));
	}

	private static long failuresOfObservers(CapturedLog output) {
		return output.toString().lines().filter((line) -> line.contains("An observer of locks failed")).count();
	}

	@ParameterizedTest
	@EnumSource(Fault.class)
	void lossWhenListenersAndActionsFailIsToldToAllOthers(Fault fault) {
		CompletableFuture<LockEvent> heard = new CompletableFuture<>();
		start((event) -> {
			if (event instanceof LockEvent.Lost lost && lost.key().equals("good")) {
				heard.complete(event);
			}
			else {
				fault.happen(this.go);
			}
		}, null);
		IntStream.range(0, NEIGHBOURS).forEach((i) -> {
			Lease bad = this.registry.acquire(LockRequest.of("bad" + i));
			bad.onLost(() -> fault.happen(this.go));
		});
		CompletableFuture<Void> told = new CompletableFuture<>();
		this.registry.acquire(LockRequest.of("good")).onLost(() -> told.complete(null));
		this.registry.held().forEach((held) -> this.registry.forceRelease("", held.keys().get(0), null));
		this.registry.confirm();
		assertThat(told).succeedsWithin(Patience.CEILING);
		assertThat(heard).succeedsWithin(Patience.CEILING);
		assertNeighboursAreServed();
	}

	@ParameterizedTest
	@EnumSource(value = Fault.class, names = "BLOCKED", mode = EnumSource.Mode.EXCLUDE)
	void eventWhenListenerCannotSayWhetherItListensIsToldAllTheSame(Fault fault) {
		CompletableFuture<LockEvent> heard = new CompletableFuture<>();
		start(new LockEventListener() {

			@Override
			public boolean isListening() {
				fault.happen(CallbacksApplicationCodeTests.this.go);
				return false;
			}

			@Override
			public void onLockEvent(LockEvent event) {
				heard.complete(event);
			}

		}, null);
		assertNeighboursAreServed();
		assertThat(heard).succeedsWithin(Patience.CEILING);
	}

	/** Four continuations that blocked kept every later lease from its caller. */
	@ParameterizedTest
	@EnumSource(Fault.class)
	void futureWhenContinuationsOfOthersFailIsCompleted(Fault fault) {
		start(null, null);
		failInContinuations(fault);
		assertThat(this.registry.acquireAsync(LockRequest.of("good")).toCompletableFuture())
			.succeedsWithin(Patience.CEILING)
			.satisfies((lease) -> assertThat(lease.release().toCompletableFuture()).succeedsWithin(Patience.CEILING));
	}

	static Stream<Arguments> ownersThatThrow() {
		return Stream.of(Fault.EXCEPTION, Fault.ERROR)
			.flatMap((fault) -> Stream.of(Arguments.of("equals", fault), Arguments.of("enters", fault)));
	}

	/** It is asked under a monitor, by its own request only, which fails. */
	@ParameterizedTest
	@MethodSource("ownersThatThrow")
	void requestWhenItsOwnerCannotBeComparedHarmsNoOther(String method, Fault fault) {
		start(null, null);
		Object owner = method.equals("equals") ? new IncomparableOwner(() -> fault.happen(this.go))
				: (LockOwner) (holder) -> {
					fault.happen(this.go);
					return false;
				};
		Lease held = this.registry.acquire(LockRequest.of("a").ownedBy("holder"));
		CompletableFuture<Lease> before = waiting("a");
		List<CompletableFuture<Lease>> bad = IntStream.range(0, NEIGHBOURS)
			.mapToObj((i) -> this.registry.acquireAsync(LockRequest.of("a").ownedBy(owner).waitFor(LONG))
				.toCompletableFuture())
			.toList();
		CompletableFuture<Lease> after = waiting("a");
		held.close();
		assertThat(before).succeedsWithin(Patience.CEILING).satisfies(Lease::close);
		bad.forEach((request) -> request.handle((lease, ex) -> lease).thenAccept((lease) -> {
			if (lease != null) {
				lease.close();
			}
		}));
		assertThat(after).succeedsWithin(Patience.CEILING).satisfies(Lease::close);
		assertNeighboursAreServed();
	}

	@Test
	void leaseWhenContinuationsOfOthersBlockIsRenewed() {
		start(null, null);
		Lease lease = this.registry.acquire(LockRequest.of("renewed").ttl(Duration.ofSeconds(3)));
		failInContinuations(Fault.BLOCKED);
		int before = renewals("renewed");
		// A renewal may have been on its way before the continuations blocked.
		await().until(() -> renewals("renewed") > before + 1);
		lease.checkHeld();
		lease.close();
	}

	private int renewals(String key) {
		List<HeldLock> held = this.registry.held();
		return held.stream().filter((each) -> each.keys().contains(key)).mapToInt(HeldLock::renewals).sum();
	}

	/** On the threads of the engine also where a future is complete already. */
	private void failInContinuations(Fault fault) {
		IntStream.range(0, NEIGHBOURS)
			.forEach((i) -> this.registry.acquireAsync(LockRequest.of("bad" + i))
				.thenAcceptAsync((lease) -> fault.happen(this.go), this.registry.engine().instance.executors.leases()));
	}

	private CompletableFuture<Lease> waiting(String key) {
		return this.registry.acquireAsync(LockRequest.of(key).waitFor(LONG)).toCompletableFuture();
	}

	private void assertNeighboursAreServed() {
		for (int i = 0; i < NEIGHBOURS; i++) {
			this.registry.acquire(LockRequest.of("neighbour")).close();
		}
		assertThat(waiting("neighbour")).succeedsWithin(Patience.CEILING).satisfies(Lease::close);
		this.other.acquire(LockRequest.of("neighbour")).close();
	}

	private void start(LockEventListener listener, LockObserver observer) {
		this.registry = new DefaultLockRegistry(new MemoryLockStore(this.locks), LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), listener, observer);
	}

	/** Fails in one of its methods. */
	private record FailingObserver(Observing method,
			Runnable failure) implements LockObserver, LockObserver.Wait, LockObserver.Hold {

		private void call(Observing called) {
			if (called == this.method) {
				this.failure.run();
			}
		}

		@Override
		public boolean isObserving() {
			call(Observing.IS_OBSERVING);
			return true;
		}

		@Override
		public Wait waiting(String name, List<String> keys, LockMode mode) {
			call(Observing.WAITING);
			return this;
		}

		@Override
		public Hold acquired(long token) {
			call(Observing.ACQUIRED);
			return this;
		}

		@Override
		public void reentered() {
			call(Observing.REENTERED);
		}

		@Override
		public void failed(Throwable reason) {
			call(Observing.FAILED);
		}

		@Override
		public void released() {
			call(Observing.RELEASED);
		}

		@Override
		public void releaseFailed(Throwable failure) {
			call(Observing.RELEASED);
		}

		@Override
		public void lost(LossReason reason, Throwable cause) {
			call(Observing.LOST);
		}

	}

	/** Cannot be compared with another object. */
	private record IncomparableOwner(Runnable failure) {

		@Override
		public boolean equals(Object other) {
			if (other != this) {
				this.failure.run();
			}
			return other == this;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

}
