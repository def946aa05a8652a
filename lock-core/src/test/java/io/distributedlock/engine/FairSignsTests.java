package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Fair requests of one instance attempt for each other while they wait. */
class FairSignsTests {

	private static final Duration STEP = Duration.ofMillis(100);

	private static final LockRequest FAIR = LockRequest.of("k")
		.mode(LockMode.FAIR)
		.ttl(Duration.ofMinutes(5))
		.waitFor(Duration.ofMinutes(2));

	private final ManualInstance here = new ManualInstance();

	private final ManualInstance there = this.here.another();

	private List<CompletableFuture<Lease>> wait(ManualInstance instance, int number) {
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			waiting.add(instance.acquire(FAIR));
		}
		return waiting;
	}

	/** Let the clock of all run, and return the attempts that this instance has sent. */
	private List<AcquireCommand> pass(Duration time) {
		int before = this.here.store.asked().size();
		for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(STEP)) {
			this.here.advance(STEP);
			this.there.runDue();
		}
		List<AcquireCommand> asked = this.here.store.asked();
		return List.copyOf(asked.subList(before, asked.size()));
	}

	private static Stream<RequestId> requests(List<AcquireCommand> attempts) {
		return attempts.stream().map(AcquireCommand::request).distinct();
	}

	@Test
	void oneOfManyAttemptsOnceASecond() {
		Lease held = this.there.acquire(FAIR).join();
		List<CompletableFuture<Lease>> line = wait(this.here, 50);
		assertThat(requests(pass(Duration.ofSeconds(2)))).as("once more, to be in line for certain").hasSize(50);
		assertThat(pass(Duration.ofSeconds(20))).hasSizeBetween(18, 22);
		assertThat(line).noneMatch(CompletableFuture::isDone);
		held.close();
		line.forEach((next) -> next.join().close());
	}

	@Test
	void placesLastThoughOnlyOneAttempts() {
		Lease held = this.there.acquire(FAIR).join();
		List<CompletableFuture<Lease>> line = wait(this.here, 3);
		CompletableFuture<Lease> other = this.there.acquire(FAIR);
		pass(Duration.ofSeconds(10));
		held.close();
		for (CompletableFuture<Lease> next : line) {
			assertThat(other).isNotDone();
			assertThat(next).isCompletedWithValueMatching(Lease::isHeld);
			next.join().close();
		}
		assertThat(other).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void anotherOneAttemptsWhenTheLastHasGivenUp() {
		Lease held = this.there.acquire(FAIR).join();
		CompletableFuture<Lease> first = this.here.acquire(FAIR);
		CompletableFuture<Lease> brief = this.here.acquire(FAIR.waitFor(Duration.ofMillis(1500)));
		CompletableFuture<Lease> other = this.there.acquire(FAIR);
		pass(Duration.ofMillis(1600));
		assertThat(ManualInstance.failure(brief)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(pass(Duration.ofSeconds(10))).hasSizeGreaterThanOrEqualTo(9);
		held.close();
		assertThat(first).isCompletedWithValueMatching(Lease::isHeld);
		first.join().close();
		assertThat(other).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void endOfADeadHolderIsNoticedAtOnce() {
		this.there.acquire(FAIR.ttl(Duration.ofSeconds(7))).join();
		List<CompletableFuture<Lease>> line = wait(this.here, 20);
		for (int i = 0; i < 71; i++) {
			this.here.advance(STEP);
		}
		assertThat(line.get(0)).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void eachAttemptsForItselfOnceMessagesMayBeLost() {
		this.there.acquire(FAIR).join();
		wait(this.here, 10);
		pass(Duration.ofSeconds(5));
		this.here.store.wakeUpsLost();
		assertThat(requests(pass(Duration.ofMillis(1200)))).hasSize(10);
		assertThat(pass(Duration.ofSeconds(10))).as("their answers say that they are woken").hasSizeBetween(9, 12);
	}

	/** The store may have given it the lock, whatever signs others give. */
	@Test
	void requestWhoseAttemptHasFailedAttemptsAgainItself() {
		Lease held = this.there.acquire(FAIR).join();
		CompletableFuture<Lease> first = firstOfTwo();
		pass(Duration.ofMillis(5100));
		this.here.store.fail(ScriptedStore.Command.ACQUIRE, LockStoreException.Kind.UNAVAILABLE);
		held.close();
		assertThat(first).isNotDone();
		pass(Duration.ofMillis(300));
		assertThat(first).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void messageThatIsLostIsSentAgainForAnAttemptOfTheInstance() {
		Lease held = this.there.acquire(FAIR).join();
		CompletableFuture<Lease> first = firstOfTwo();
		pass(Duration.ofSeconds(5));
		this.here.store.deafen();
		held.close();
		this.here.store.hear();
		assertThat(first).isNotDone();
		pass(Duration.ofMillis(1100));
		assertThat(first).isCompletedWithValueMatching(Lease::isHeld);
	}

	/** Return the first in line. The second attempts for both. */
	private CompletableFuture<Lease> firstOfTwo() {
		CompletableFuture<Lease> first = this.here.acquire(FAIR);
		pass(STEP);
		this.here.acquire(FAIR);
		RequestId second = this.here.store.asked().get(1).request();
		pass(Duration.ofSeconds(2));
		assertThat(requests(pass(Duration.ofSeconds(3)))).containsExactly(second);
		return first;
	}

	/** As after an eviction: only one of them would be in line, and sign for all. */
	@Test
	void allComeBackWhenTheStoreHasForgottenTheLine() {
		this.there.acquire(FAIR).join();
		firstOfTwo();
		wait(this.here, 8);
		pass(Duration.ofSeconds(5));
		this.here.store.locks().remove("", "k");
		this.there.acquire(FAIR);
		for (AcquireCommand forgotten : pass(Duration.ofMillis(1100))) {
			this.here.store.wakeUp("k", forgotten.request());
			this.here.store.wakeUp("k", forgotten.request());
		}
		assertThat(requests(pass(Duration.ofSeconds(2)))).hasSize(10);
	}

	/** Readers and others overtake them until then. */
	@Test
	void allComeBackLittleLaterThanOneThatAttemptsForItself() {
		Duration poll = Duration.ofMillis(1200);
		this.there.acquire(FAIR).join();
		wait(this.here, 10);
		pass(Duration.ofSeconds(5));
		this.here.store.locks().remove("", "k");
		this.there.acquire(FAIR);
		assertThat(requests(pass(poll))).hasSize(10);
	}

	/** It begins a new row, and its answers are none for those of the row before. */
	@Test
	void newRequestAfterTheStoreHasForgottenTheLinePutsOffNone() {
		this.there.acquire(FAIR).join();
		wait(this.here, 5);
		pass(Duration.ofMillis(5500));
		this.here.store.locks().remove("", "k");
		this.there.acquire(FAIR);
		wait(this.here, 1);
		List<AcquireCommand> asked = this.here.store.asked();
		RequestId last = asked.get(asked.size() - 1).request();
		this.here.store.wakeUp("k", last);
		this.here.store.wakeUp("k", last);
		assertThat(requests(pass(Duration.ofSeconds(2)))).hasSize(6);
	}

	/** Others are put off by the signs of those that are in line again. */
	@Test
	void allComeBackAfterAPauseThatWasLongerThanTheirEntriesLast() {
		this.there.acquire(FAIR).join();
		wait(this.here, 10);
		pass(Duration.ofSeconds(5));
		this.there.acquire(FAIR);
		this.here.clock.advance(Duration.ofSeconds(4));
		this.there.runDue();
		assertThat(requests(pass(Duration.ofSeconds(4)))).hasSize(10);
	}

	/** As on a subscription that is only half open. */
	@Test
	void instanceWhoseMessagesAreLostIsServedWithinASecond() {
		Lease held = this.there.acquire(FAIR).join();
		List<CompletableFuture<Lease>> line = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			line.add(this.here.acquire(FAIR));
			line.add(this.there.acquire(FAIR));
		}
		pass(Duration.ofSeconds(5));
		this.here.store.deafen();
		for (CompletableFuture<Lease> next : line) {
			held.close();
			pass(Duration.ofMillis(1200));
			assertThat(next).isCompletedWithValueMatching(Lease::isHeld);
			held = next.join();
		}
	}

	/** The message may be newer than the answer. */
	@Test
	void requestThatIsWokenDuringItsAttemptAttemptsAgainItself() {
		this.there.acquire(FAIR).join();
		firstOfTwo();
		RequestId first = this.here.store.asked().get(0).request();
		RequestId second = this.here.store.asked().get(1).request();
		ScriptedStore.Held attempt = this.here.store.hold(ScriptedStore.Command.ACQUIRE);
		this.here.store.wakeUp("k", first);
		this.here.store.wakeUp("k", first);
		attempt.answer();
		this.here.store.wakeUp("k", second);
		int before = this.here.store.asked().size();
		this.here.runDue();
		assertThat(this.here.store.asked().subList(before, this.here.store.asked().size()))
			.extracting(AcquireCommand::request)
			.containsExactly(first);
	}

	@Test
	void nextOfTheInstanceAttemptsBehindTheRelease() {
		Lease held = this.here.acquire(FAIR).join();
		List<CompletableFuture<Lease>> line = wait(this.here, 3);
		this.here.store.deafen();
		held.close();
		for (CompletableFuture<Lease> next : line) {
			assertThat(next).isCompletedWithValueMatching(Lease::isHeld);
			next.join().close();
		}
	}

	/** Each attempt behind a release is in vain then. */
	@Test
	void instanceBehindOthersAttemptsLessAndLess() {
		List<CompletableFuture<Lease>> line = new ArrayList<>();
		line.add(this.here.acquire(FAIR));
		for (int i = 0; i < 100; i++) {
			line.add(((i % 2 == 0) ? this.there : this.here).acquire(FAIR));
		}
		int before = this.here.store.asked().size();
		line.forEach((next) -> next.join().close());
		assertThat(this.here.store.asked().size() - before).isBetween(50, 60);
	}

	@Test
	void instanceForgetsTheSignsOfALockThatNoRequestWaitsFor() {
		Lease held = this.here.acquire(FAIR).join();
		List<CompletableFuture<Lease>> line = wait(this.here, 3);
		assertThat(this.here.engine.queues.index.signs()).isOne();
		held.close();
		line.forEach((next) -> next.join().close());
		assertThat(this.here.engine.queues.index.signs()).isZero();
	}

}
