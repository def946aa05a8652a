package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Commands for a node that stands still: when it went on, all requests that callers had
 * given up were in front of their new ones, and were ended once a second.
 */
class NodeTrafficTests {

	private static final Duration BUDGET = Duration.ofMillis(50);

	private static final int CALLERS = 100;

	/** The most commands in flight to a silent node. */
	private static final int PROBES = 2;

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	private int keys;

	/** Each caller makes a call, and another one when the budget is over. */
	private void storm(Duration duration) {
		for (Duration passed = Duration.ZERO; passed.compareTo(duration) < 0; passed = passed.plus(BUDGET)) {
			IntStream.range(0, CALLERS).forEach((caller) -> ask(BUDGET));
			this.instance.advance(BUDGET);
		}
	}

	private CompletableFuture<Lease> ask(Duration budget) {
		return ask(LockMode.EXCLUSIVE, budget);
	}

	private CompletableFuture<Lease> ask(LockMode mode, Duration budget) {
		LockRequest request = LockRequest.of("key-" + this.keys++).waitFor(budget);
		return this.instance.acquire((mode == LockMode.SEMAPHORE) ? request.permits(1) : request.mode(mode));
	}

	private void freeze() {
		this.store.silence(Command.ACQUIRE);
		this.store.silence(Command.ABANDON);
		this.store.silence(Command.RELEASE);
	}

	private int sent() {
		return this.store.sent(Command.ACQUIRE) + this.store.sent(Command.ABANDON) + this.store.sent(Command.RELEASE);
	}

	@Test
	void nodeThatIsSilentGetsAFewCommandsASecond() {
		freeze();
		storm(Duration.ofMillis(500));
		int before = sent();
		storm(Duration.ofSeconds(10));
		assertThat(sent() - before).isBetween(10, 10 * PROBES + PROBES);
	}

	@ParameterizedTest
	@EnumSource
	void callersHaveTheirLocksAtOnceWhenTheNodeGoesOn(LockMode mode) {
		freeze();
		storm(Duration.ofSeconds(5));
		List<CompletableFuture<Lease>> waiting = Stream.generate(() -> ask(mode, Duration.ofSeconds(5)))
			.limit(CALLERS)
			.toList();
		int before = sent();
		this.store.heal();
		this.instance.advance(this.store.commandTimeout());
		assertThat(waiting).allMatch((future) -> future.isDone() && !future.isCompletedExceptionally());
		assertThat(sent() - before).isLessThan(6 * CALLERS);
	}

	/** Each had to be ended, again and again. */
	@Test
	void callerWhoseTurnHasNotComeLeavesNothingToEnd() {
		freeze();
		storm(Duration.ofMillis(500));
		int background = this.instance.engine.instance.backgroundCount();
		int before = this.store.sent(Command.ACQUIRE);
		storm(Duration.ofSeconds(5));
		int sent = this.store.sent(Command.ACQUIRE) - before;
		assertThat(sent).isLessThan(20);
		assertThat(this.instance.engine.instance.backgroundCount() - background).isLessThanOrEqualTo(sent);
	}

	@Test
	void callerWithoutBudgetOrTurnFailsInTheTimeOfACommand() {
		freeze();
		storm(Duration.ofMillis(500));
		CompletableFuture<Lease> once = ask(Duration.ZERO);
		this.instance.advance(this.store.commandTimeout());
		assertThat(ManualInstance.failure(once)).isInstanceOf(LockStoreException.class)
			.hasMessageContaining("no answer within 1000 ms");
	}

	@Test
	void callerWhoseTurnDoesNotComeIsToldOfNoBusyLock() {
		freeze();
		storm(Duration.ofMillis(500));
		CompletableFuture<Lease> waiting = ask(BUDGET);
		this.instance.advance(BUDGET);
		assertThat(ManualInstance.failure(waiting)).isInstanceOf(LockStoreException.class);
	}

	@Test
	void releaseThatWaitsForItsTurnIsToldInTimeAndSentOnce() {
		Lease held = this.instance.acquire(LockRequest.of("held")).join();
		freeze();
		storm(Duration.ofMillis(500));
		held.release();
		this.instance.advance(this.store.commandTimeout());
		assertThat(this.instance.events).filteredOn(LockEvent.ReleaseFailed.class::isInstance).hasSize(1);
		int before = this.store.sent(Command.RELEASE);
		this.store.heal();
		this.instance.advance(Duration.ofSeconds(3));
		assertThat(this.store.sent(Command.RELEASE) - before).isLessThanOrEqualTo(1);
		assertThat(this.store.isLocked("held")).isFalse();
	}

	@Test
	void callersOfAnotherNodeAreNotDelayed() {
		this.store.nodes((key) -> key.startsWith("key") ? "silent" : "other");
		freeze();
		storm(Duration.ofMillis(500));
		this.store.heal();
		CompletableFuture<Lease> behind = ask(BUDGET);
		IntStream.range(0, CALLERS)
			.forEach((i) -> assertThat(this.instance.acquire(LockRequest.of("other-" + i).waitFor(BUDGET)))
				.isCompletedWithValueMatching(Lease::isHeld));
		assertThat(behind).isNotDone();
	}

	/**
	 * Each answer came too late as long as all that was asked for was sent: more was
	 * asked for in the time of a budget than the node could answer.
	 */
	@Test
	void callersOfANodeThatIsOverloadedGetMostOfTheLocksThatItCanGive() {
		int millis = 3_000;
		Iterator<ScriptedStore.Held> node = Stream.generate(() -> this.store.hold(Command.ACQUIRE))
			.limit(20_000)
			.toList()
			.iterator();
		List<CompletableFuture<Lease>> callers = new ArrayList<>(
				Stream.generate(() -> ask(BUDGET)).limit(4 * BUDGET.toMillis()).toList());
		ScriptedStore.Held next = node.next();
		int served = 0;
		for (int passed = 0; passed < millis; passed++) {
			if (next.isSent()) {
				next.answer();
				next = node.next();
			}
			for (int i = 0; i < callers.size(); i++) {
				if (callers.get(i).isDone()) {
					served += callers.get(i).isCompletedExceptionally() ? 0 : 1;
					callers.set(i, ask(BUDGET));
				}
			}
			this.instance.advance(Duration.ofMillis(1));
		}
		assertThat(served).isGreaterThan(millis / 2);
	}

	/**
	 * Callers who were too late for an answer made the node get fewer commands, so that
	 * more of them were too late. The last ones here cannot have an answer in time.
	 */
	@ParameterizedTest
	@CsvSource({ "5, 30, 1000, 0, 1", "100, 150, 300, 0, 1", "100, 301, 1000, 0, 1", "150, 451, 1000, 0, 1",
			"30, 50, 200, 0, 1", "30, 100, 0, 20, 500", "30, 60, 0, 1, 1" })
	void callersWithShortBudgetsAtAFarNodeAreServedSoonAfterItGoesOn(int away, int millis, int frozen, int hopeless,
			int pause) {
		FarNode node = new FarNode(Duration.ofMillis(away));
		Duration budget = Duration.ofMillis(millis);
		node.hopeless = hopeless;
		node.pause = pause;
		node.run(Duration.ofMillis(500), budget);
		node.frozen = frozen > 0;
		node.run(Duration.ofMillis(frozen), budget);
		node.frozen = false;
		node.run(Duration.ofSeconds(2), budget);
		double part = node.run(Duration.ofSeconds(1), budget);
		// The last calls have had no time for an answer yet.
		assertThat(part).isGreaterThan(0.8 * (1 - away / 1000.0));
	}

	/** Answers each attempt so late, as long as it is not frozen. */
	private final class FarNode {

		private final Iterator<ScriptedStore.Held> commands = Stream
			.generate(() -> NodeTrafficTests.this.store.hold(Command.ACQUIRE))
			.limit(20_000)
			.toList()
			.iterator();

		private final Deque<Map.Entry<Long, ScriptedStore.Held>> arrived = new ArrayDeque<>();

		private final ManualInstance instance = NodeTrafficTests.this.instance;

		private final long away;

		private ScriptedStore.Held next = this.commands.next();

		private boolean frozen;

		/** The number of callers at once who cannot have an answer in time. */
		private int hopeless;

		private int pause = 1;

		FarNode(Duration away) {
			this.away = away.toNanos();
		}

		/** A call in a millisecond, for so long; the part of them that has got a lock. */
		double run(Duration duration, Duration budget) {
			List<CompletableFuture<Lease>> calls = new ArrayList<>();
			for (long passed = 0; passed < duration.toMillis(); passed++) {
				calls.add(ask(budget));
				for (int i = 0; passed % this.pause == 0 && i < this.hopeless; i++) {
					ask(Duration.ofNanos(this.away / 3));
				}
				advance();
			}
			return calls.stream().filter((call) -> call.isDone() && !call.isCompletedExceptionally()).count()
					/ (double) calls.size();
		}

		private void advance() {
			long now = this.instance.clock.quietly();
			while (this.next.isSent()) {
				this.arrived.add(Map.entry(now + this.away, this.next));
				this.next = this.commands.next();
			}
			while (!this.frozen && !this.arrived.isEmpty() && this.arrived.peek().getKey() <= now) {
				this.arrived.remove().getValue().answer();
			}
			this.instance.advance(Duration.ofMillis(1));
		}

	}

	/** The commands that waited behind it were never sent. */
	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 })
	void commandThatCannotBeSentKeepsNoOtherFromItsTurn(int reading) {
		freeze();
		storm(Duration.ofMillis(500));
		List<CompletableFuture<Lease>> others = Stream.generate(() -> ask(Duration.ofSeconds(20))).limit(20).toList();
		this.store.heal();
		this.instance.advance(this.store.commandTimeout().minus(Duration.ofMillis(500)));
		this.instance.clock.onReading(reading, NodeTrafficTests::fail);
		this.instance.advance(this.store.commandTimeout().multipliedBy(3));
		assertThat(others).allMatch(CompletableFuture::isDone);
	}

	private static void fail() {
		throw new OutOfMemoryError("not really");
	}

	/** The thread that had released a lock waited for ever. */
	@Test
	void releaseThatWaitsForItsTurnIsToldWhenTheRegistryIsClosed() {
		Lease held = this.instance.acquire(LockRequest.of("held")).join();
		freeze();
		storm(Duration.ofMillis(500));
		CompletableFuture<Void> released = held.release().toCompletableFuture();
		assertThat(released).isNotDone();
		this.instance.engine.stop();
		assertThat(released).isDone();
	}

	@Test
	void attemptsThatWaitDoNotKeepAReleaseFromItsTurn() {
		Lease held = this.instance.acquire(LockRequest.of("held")).join();
		freeze();
		ask(BUDGET);
		this.instance.advance(BUDGET.multipliedBy(4));
		IntStream.range(0, 50).forEach((i) -> ask(Duration.ofSeconds(20)));
		held.release();
		IntStream.range(0, 50).forEach((i) -> ask(Duration.ofSeconds(20)));
		this.store.heal();
		this.store.silence(Command.ACQUIRE);
		this.instance.advance(this.store.commandTimeout().multipliedBy(3));
		assertThat(this.store.isLocked("held")).isFalse();
	}

	/** A far or busy node may be too slow for some callers. */
	@Test
	void nodeThatIsTooSlowForACallerIsNotSilentForOthers() {
		for (int i = 0; i < 200; i++) {
			ScriptedStore.Held slow = this.store.hold(Command.ACQUIRE);
			ask(Duration.ofMillis(5));
			this.instance.advance(Duration.ofMillis(5));
			slow.answer();
			assertThat(ask(Duration.ofSeconds(5))).isDone();
		}
	}

	@Test
	void nothingIsKeptOfANodeThatAnswersAgain() {
		freeze();
		storm(Duration.ofSeconds(1));
		this.store.heal();
		this.instance.advance(Duration.ofMinutes(2));
		assertThat(this.instance.engine.instance.backgroundCount()).isZero();
		assertThat(this.instance.engine.instance.timers.size()).isZero();
	}

	/** They waited for their own next try, and missed a short window. */
	@ParameterizedTest
	@EnumSource(names = { "ACQUIRE", "RELEASE", "ABANDON" })
	void commandThatANodeTakesAgainOpensItForRenewals(Command command) {
		this.store.withCommandTimeout(Duration.ofSeconds(10));
		Lease kept = this.instance.acquire(LockRequest.of("kept").ttl(Duration.ofSeconds(30))).join();
		Lease other = this.instance.acquire(LockRequest.of("other").renew(false)).join();
		this.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		awaitRefusal();
		this.store.heal();
		run(command, other);
		this.instance.runDue();
		assertThat(kept.remaining()).isGreaterThan(Duration.ofSeconds(29));
	}

	/** Each such release sent the renewals to a node that refuses them. */
	@Test
	void releaseThatWritesNothingOpensNoNodeForRenewals() {
		this.store.withCommandTimeout(Duration.ofSeconds(10));
		this.instance.acquire(LockRequest.of("kept").ttl(Duration.ofSeconds(30))).join();
		Lease other = this.instance.acquire(LockRequest.of("other").renew(false)).join();
		this.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		awaitRefusal();
		int refused = this.store.sent(Command.RENEW);
		this.store.locks().remove("", "other");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(other::close);
		this.instance.runDue();
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(refused);
	}

	private void awaitRefusal() {
		while (this.store.sent(Command.RENEW) == 0) {
			this.instance.advance(Duration.ofMillis(10));
		}
		this.instance.advance(Duration.ofMillis(10));
	}

	private void run(Command command, Lease other) {
		if (command == Command.ACQUIRE) {
			ask(Duration.ZERO);
		}
		else if (command == Command.RELEASE) {
			other.close();
		}
		else {
			this.store.hold(Command.ACQUIRE);
			ask(Duration.ZERO).cancel(true);
		}
	}

}
