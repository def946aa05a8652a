package io.distributedlock.reactive;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenLost;
import io.distributedlock.reactive.LeaseState.Event;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/** Whatever ends first, the lease is released once, and by the last that uses it. */
class LeaseStateTests {

	private static final int ROUNDS = 500;

	@ParameterizedTest
	@CsvSource({ "RUNNING, KEEP, RUNNING_KEPT", "RUNNING, BODY_ENDED, ENDING", "RUNNING_KEPT, BODY_ENDED, ENDING_KEPT",
			"RUNNING_KEPT, TRANSACTION_ENDED, RUNNING", "ENDING, BODY_LEFT, RELEASED", "ENDING_KEPT, BODY_LEFT, KEPT",
			"ENDING_KEPT, TRANSACTION_ENDED, ENDING", "KEPT, TRANSACTION_ENDED, RELEASED" })
	void eventWhenInTheTableLeadsToItsState(LeaseState before, Event event, LeaseState after) {
		assertThat(before.after(event)).isEqualTo(after);
	}

	@Test
	void eventWhenTooLateChangesNothing() {
		long changes = Stream.of(LeaseState.values())
			.flatMap((state) -> Stream.of(Event.values()).filter((event) -> state.after(event) != state))
			.count();
		assertThat(changes).isEqualTo(8);
	}

	/** The body leaves after its end, as the code around it sees to. */
	static List<List<Event>> orders() {
		List<List<Event>> orders = new ArrayList<>();
		permute(new ArrayList<>(), orders);
		return orders.stream()
			.filter((order) -> order.indexOf(Event.BODY_ENDED) < order.indexOf(Event.BODY_LEFT))
			.filter((order) -> order.indexOf(Event.KEEP) < order.indexOf(Event.TRANSACTION_ENDED))
			.toList();
	}

	private static void permute(List<Event> order, List<List<Event>> orders) {
		if (order.size() == Event.values().length) {
			orders.add(List.copyOf(order));
		}
		for (Event event : Event.values()) {
			if (!order.contains(event)) {
				order.add(event);
				permute(order, orders);
				order.remove(event);
			}
		}
	}

	@ParameterizedTest
	@MethodSource("orders")
	void lifeInAnyOrderEndsReleasedAndOnlyAfterTheBody(List<Event> order) {
		LeaseState state = LeaseState.RUNNING;
		boolean left = false;
		for (Event event : order) {
			state = state.after(event);
			left |= event == Event.BODY_LEFT;
			assertThat(state == LeaseState.RELEASED && !left).as("released under the body").isFalse();
		}
		assertThat(state).isEqualTo(LeaseState.RELEASED);
	}

	/**
	 * A transaction registers itself, and completes, while the subscription is cancelled.
	 */
	@Test
	void releaseWhenTheEndsRaceHappensOnce() throws Exception {
		AtomicInteger releases = new AtomicInteger();
		Lease lease = mock(Lease.class);
		given(lease.release()).willAnswer((call) -> {
			releases.incrementAndGet();
			return CompletableFuture.completedFuture(null);
		});
		LockRegistry registry = mock(LockRegistry.class);
		given(registry.acquireAsync(any())).willReturn(CompletableFuture.completedFuture(lease));
		for (int round = 1; round <= ROUNDS; round++) {
			SubscriptionLease subscription = new SubscriptionLease(WhenLost.THROW, Schedulers.immediate(), Mono::empty);
			subscription.acquire(registry, LockRequest.of("k")).block();
			race(() -> subscription.cancel().subscribe(), () -> subscription.complete().subscribe(),
					() -> keepAndComplete(subscription));
			assertThat(releases).hasValue(round);
		}
	}

	private static void keepAndComplete(SubscriptionLease subscription) {
		if (subscription.keep(() -> {
		})) {
			subscription.registered();
			subscription.transactionCompleted(false).subscribe();
		}
	}

	private static void race(Runnable... sides) throws Exception {
		CyclicBarrier start = new CyclicBarrier(sides.length);
		AtomicReference<Throwable> failure = new AtomicReference<>();
		List<Thread> threads = Stream.of(sides).map((side) -> new Thread(null, () -> {
			try {
				start.await(20, TimeUnit.SECONDS);
				side.run();
			}
			catch (Throwable ex) {
				failure.set(ex);
			}
		}, "side", 0, false)).toList();
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join(20_000);
		}
		assertThat(failure.get()).isNull();
	}

}
