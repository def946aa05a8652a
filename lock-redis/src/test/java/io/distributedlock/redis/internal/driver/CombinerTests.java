package io.distributedlock.redis.internal.driver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CombinerTests {

	private static final long NANOS = Duration.ofHours(2).toNanos();

	/** Long enough for the test's time-out to notice a call that no thread wakes. */
	private static final Duration LONG = Duration.ofMinutes(30);

	private final TestLane lane = new TestLane(1);

	private final Queue<WaitingCall> driven = new ConcurrentLinkedQueue<>();

	private final Combiner combiner = combiner(LONG);

	private final ExecutorService callers = Executors.newCachedThreadPool();

	@AfterEach
	void stop() {
		this.lane.answer(1_000);
		this.callers.shutdownNow();
	}

	private Combiner combiner(Duration longestWait) {
		return new Combiner(this.lane, this.driven::add, Runnable::run, (call) -> {
			throw new IllegalStateException("Nothing is refused here");
		}, longestWait);
	}

	/** On a thread of its own, which tells whether the driver need not run it. */
	private Thread run(WaitingCall call, CompletableFuture<Boolean> end) {
		Thread caller = new Thread(() -> end.complete(this.combiner.run(call, NANOS)));
		caller.setDaemon(true);
		caller.start();
		return caller;
	}

	/** A call whose caller is parked. */
	private WaitingCall waiting(String key) {
		return waiting(KeyCall.of(key));
	}

	private WaitingCall waiting(ScriptCall own) {
		WaitingCall call = new WaitingCall(own);
		Thread caller = run(call, new CompletableFuture<>());
		Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> isParked(caller));
		return call;
	}

	private static boolean isParked(Thread caller) {
		return caller.getState() == Thread.State.TIMED_WAITING;
	}

	/** The one connection is in use until the next answer. */
	private CompletableFuture<Boolean> occupy() {
		this.lane.stop();
		CompletableFuture<Boolean> first = new CompletableFuture<>();
		run(new WaitingCall(KeyCall.of("first")), first);
		Awaitility.await().until(() -> !this.lane.commands.isEmpty());
		return first;
	}

	private List<WaitingCall> waiting(int count) {
		return IntStream.range(0, count).mapToObj((i) -> waiting("key" + i)).toList();
	}

	private static Object answer(WaitingCall call) {
		assertThat(call.call).succeedsWithin(Patience.CEILING);
		return call.call.join();
	}

	private static void assertAnswered(List<WaitingCall> calls) {
		assertThat(calls).allSatisfy((call) -> assertThat(answer(call)).isEqualTo(KeyCall.key(call.call)));
	}

	@Test
	void callWhenAConnectionIsFreeRunsOnThisThread() {
		WaitingCall call = new WaitingCall(KeyCall.of("key"));
		assertThat(this.combiner.run(call, NANOS)).isTrue();
		assertThat(call.call.isDone()).isTrue();
		assertThat(this.lane.commands).containsExactly("key");
	}

	@Test
	void callsThatWaitGoTogetherInTheirOrderWhenTheConnectionIsFree() {
		occupy();
		List<WaitingCall> calls = waiting(4);
		this.lane.answer(2);
		assertAnswered(calls);
		assertThat(this.lane.commands).hasSize(2);
		assertThat(this.lane.commands.get(1)).isEqualTo(List.of("key0", "key1", "key2", "key3"));
		assertThat(this.driven).isEmpty();
	}

	@Test
	void noMoreGoTogetherThanAServerAnswersInAMillisecond() {
		occupy();
		List<WaitingCall> calls = waiting(Combiner.MOST_TOGETHER + 2);
		this.lane.answer(3);
		assertAnswered(calls);
		assertThat((List<?>) this.lane.commands.get(1)).hasSize(Combiner.MOST_TOGETHER);
		assertThat((List<?>) this.lane.commands.get(2)).hasSize(2);
	}

	@Test
	void callThatIsNotWaitedForAnyMoreIsLeftOut() {
		occupy();
		List<WaitingCall> calls = waiting(3);
		calls.get(1).call.cancel(true);
		this.lane.answer(2);
		assertAnswered(List.of(calls.get(0), calls.get(2)));
		assertThat(this.lane.commands.get(1)).isEqualTo(List.of("key0", "key2"));
	}

	@Test
	void callThatMayNotGatherIsTheDriversWhenNoConnectionIsFree() {
		occupy();
		WaitingCall call = new WaitingCall(KeyCall.thatGoesAlone("alone"));
		assertThat(this.combiner.run(call, NANOS)).isFalse();
		assertThat(this.combiner.take(call)).isSameAs(call.call);
	}

	@Test
	void callWhenThereIsNoConnectionAtAllIsTheDriversAtOnce() {
		occupy();
		this.lane.isInUse = false;
		assertThat(this.combiner.run(new WaitingCall(KeyCall.of("key")), NANOS)).isFalse();
	}

	@Test
	void callOfAThreadThatIsNotLentIsTheDriversAtOnce() {
		assertThat(this.combiner.run(new WaitingCall(KeyCall.of("key")), 0)).isFalse();
		assertThat(this.lane.commands).isEmpty();
	}

	@Test
	void callWhenNoConnectionGetsFreeInTimeIsTheDrivers() {
		occupy();
		WaitingCall call = new WaitingCall(KeyCall.of("key"));
		assertThat(combiner(Duration.ofMillis(1)).run(call, NANOS)).isFalse();
		assertThat(call.isTaken()).isFalse();
	}

	@Test
	void callerWhenInterruptedLeavesItsCallToTheDriver() {
		occupy();
		WaitingCall call = new WaitingCall(KeyCall.of("key"));
		CompletableFuture<Boolean> end = new CompletableFuture<>();
		Thread caller = run(call, end);
		Awaitility.await().until(() -> isParked(caller));
		caller.interrupt();
		assertThat(end).succeedsWithin(Patience.CEILING).isEqualTo(false);
	}

	/** The caller that had the connection gets it again, or one that waits gets it. */
	@Test
	void callsWhenTheirConnectionIsLostAreTheDriversAsOne() {
		occupy();
		List<WaitingCall> calls = waiting(3);
		this.lane.answer(1);
		Awaitility.await().until(() -> this.lane.commands.size() == 2);
		this.lane.lose();
		Awaitility.await().until(() -> calls.stream().noneMatch(WaitingCall::isHeld));
		assertThat(this.driven).hasSize(1);
		ScriptCall sent = this.combiner.take(this.driven.remove());
		assertThat(KeyCall.keys(sent.keys)).isEqualTo(List.of("key0", "key1", "key2"));
		assertThat(calls).noneMatch((call) -> call.call.isDone());
	}

	/** A call that no caller waits for here stood before it, and was woken in vain. */
	@Test
	void connectionThatGetsFreeIsForTheFirstCallerThatWaits() {
		occupy();
		assertThat(this.combiner.run(new WaitingCall(KeyCall.of("asynchronous")), 0)).isFalse();
		WaitingCall call = waiting("key");
		this.lane.answer(2);
		assertThat(answer(call)).isEqualTo("key");
	}

	@Test
	void callsThatCannotGoTogetherAllFail() {
		occupy();
		List<WaitingCall> calls = List.of(waiting(KeyCall.thatFailsTogether("first")), waiting("second"));
		this.lane.answer(2);
		assertThat(calls).allSatisfy((call) -> assertThat(call.call).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.withCauseInstanceOf(ArrayIndexOutOfBoundsException.class));
	}

	/** Others would have to send again the commands that it gives up. */
	@Test
	void callerWithLittleTimeDoesNotTakeOthersAlong() {
		long little = Duration.ofMillis(49).toNanos();
		assertThat(this.combiner.run(new WaitingCall(KeyCall.of("key")), little)).isFalse();
		assertThat(this.lane.commands).isEmpty();
	}

	@Test
	void threadOfTheDriverTakesAlongWhatWaits() {
		occupy();
		List<WaitingCall> calls = waiting(3);
		WaitingCall own = new WaitingCall(KeyCall.of("own"));
		assertThat(this.combiner.run(own, 0)).isFalse();
		ScriptCall taken = this.combiner.take(own);
		assertThat(KeyCall.keys(taken.keys)).isEqualTo(List.of("own", "key0", "key1", "key2"));
		assertThat(calls).as("wait for the answer elsewhere").noneMatch(WaitingCall::isHeld);
		assertThat(this.combiner.take(own)).as("taken once").isNull();
	}

	/** A connection that gets free before the call waits wakes no caller. */
	@Test
	void connectionThatGetsFreeMeanwhileIsNotOverlooked() {
		CompletableFuture<Boolean> first = occupy();
		this.lane.whenRefused = () -> {
			this.lane.answer(2);
			first.join();
		};
		WaitingCall call = new WaitingCall(KeyCall.of("key"));
		assertThat(this.combiner.run(call, NANOS)).isTrue();
		assertThat(call.call.isDone()).isTrue();
	}

	@Test
	void callsOfManyCallersAreAllAnsweredOnce() throws Exception {
		AtomicInteger number = new AtomicInteger();
		List<Future<?>> running = new ArrayList<>();
		for (int caller = 0; caller < 8; caller++) {
			running.add(this.callers.submit(() -> {
				for (int i = 0; i < 20_000; i++) {
					ScriptCall call = KeyCall.of("key" + number.incrementAndGet());
					assertThat(this.combiner.run(new WaitingCall(call), NANOS)).isTrue();
					assertThat(call).isCompletedWithValue(KeyCall.key(call));
				}
			}));
		}
		for (Future<?> each : running) {
			each.get();
		}
		assertThat(this.driven).isEmpty();
		List<?> sent = this.lane.commands.stream()
			.flatMap((command) -> (command instanceof List<?> keys) ? keys.stream() : Stream.of(command))
			.toList();
		assertThat(sent).hasSize(number.get());
		assertThat(Set.copyOf(sent)).hasSize(number.get());
	}

}
