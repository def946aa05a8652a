package io.distributedlock.engine;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUpgradeException;
import io.distributedlock.TemplateLease;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The commands that an instance sends for readers, permits and fair waiters, and when.
 */
class KeyQueueModeTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	private final Set<Object> friends = new HashSet<>();

	@Test
	void requestThatTheStoreHasEndedIsFollowedByANewOneAfterAPause() {
		for (int i = 0; i < 5; i++) {
			this.store.hold(Command.ACQUIRE).answer(new AcquireOutcome.Busy("", Duration.ZERO, 0, true));
		}
		CompletableFuture<Lease> waiting = ask(LockMode.EXCLUSIVE, null);
		this.instance.advance(Duration.ofMillis(99));
		assertThat(requests()).hasSize(4).doesNotHaveDuplicates();
		this.instance.advance(Duration.ofMillis(26));
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(requests()).hasSize(6).doesNotHaveDuplicates();
	}

	/**
	 * The release of the votes of a lost round also wakes the requests that have lost it.
	 */
	@Test
	void requestThatTheStoreHasEndedIsNotFollowedAtOnce() {
		ScriptedStore.Held attempt = this.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> waiting = ask(LockMode.EXCLUSIVE, null);
		this.store.wakeUp("k");
		attempt.answer(new AcquireOutcome.Busy("", LONG, 0, true));
		this.instance.runDue();
		assertThat(waiting).isNotDone();
		this.instance.advance(Duration.ofMillis(25));
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void turnOfOneRequestIsHeardByNoOther() {
		ask(LockMode.EXCLUSIVE, null).join();
		ask(LockMode.FAIR, null);
		ask(LockMode.FAIR, null);
		ask(LockMode.READ, null);
		List<RequestId> waiting = requests();
		this.store.wakeUp("k", waiting.get(2));
		assertThat(requests()).hasSize(5).endsWith(waiting.get(2));
		this.store.wakeUp("k");
		assertThat(requests()).hasSize(8).endsWith(waiting.get(1), waiting.get(2), waiting.get(3));
	}

	@Test
	void readerNamesTheRequestByWhichItsOwnerHasTheLockAndNoOther() {
		ask(LockMode.FAIR, "writer").join();
		ask(LockMode.READ, "writer");
		ask(LockMode.READ, "reader");
		assertThat(this.store.asked()).extracting(AcquireCommand::beside)
			.containsExactly(null, requests().get(0), null);
	}

	@Test
	void readerWhoseOwnerBecomesEqualToTheWriterIsAdmitted() {
		Lease held = ask(LockMode.EXCLUSIVE, "holder").join();
		CompletableFuture<Lease> stranger = ask(LockMode.READ, "stranger");
		CompletableFuture<Lease> friend = ask(LockMode.READ, new Friend());
		befriend("holder", held);
		assertThat(friend).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(stranger).isNotDone();
	}

	@Test
	void readerWhoseOwnerBecomesEqualToAHolderEntersPastAWriter() {
		Lease held = ask(LockMode.READ, "holder").join();
		CompletableFuture<Lease> writer = ask(LockMode.EXCLUSIVE, null);
		CompletableFuture<Lease> friend = ask(LockMode.READ, new Friend());
		befriend("holder", held);
		assertThat(friend).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(requests()).containsOnlyOnce(requests().get(2));
		held.close();
		assertThat(writer).isNotDone();
		friend.join().close();
		assertThat(writer).isCompletedWithValueMatching(Lease::isHeld);
	}

	@Test
	void writerWhoseOwnerHasBecomeAReadersIsRefusedAndLetsOthersIn() {
		Lease held = ask(LockMode.READ, "holder").join();
		CompletableFuture<Lease> friend = ask(LockMode.FAIR, new Friend());
		CompletableFuture<Lease> set = this.instance
			.acquire(LockRequest.ofAll("k", "l").waitFor(LONG).ownedBy(new Friend()));
		befriend("holder", held);
		assertThat(ManualInstance.failure(friend)).isInstanceOf(LockUpgradeException.class);
		assertThat(ManualInstance.failure(set)).isInstanceOf(LockUpgradeException.class);
		held.close();
		this.instance.advance(Duration.ofSeconds(1));
		assertNothingLeft();
	}

	@Test
	void permitsAreAskedForOneAfterTheOther() {
		ScriptedStore.Held attempt = this.store.hold(Command.ACQUIRE);
		LockRequest request = LockRequest.of("k").permits(3).waitFor(LONG);
		List<CompletableFuture<Lease>> all = IntStream.range(0, 200)
			.mapToObj((i) -> this.instance.acquire(request))
			.toList();
		assertThat(this.store.sent(Command.ACQUIRE)).isOne();
		attempt.answer();
		assertThat(all.subList(0, 3)).allMatch(CompletableFuture::isDone);
		assertThat(all.subList(3, 200)).noneMatch(CompletableFuture::isDone);
		assertThat(this.store.sent(Command.ACQUIRE)).isEqualTo(4);
		all.get(1).join().close();
		assertThat(all.get(3)).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(all.get(0)).isCompletedWithValueMatching(Lease::isHeld);
	}

	/** Two hundred of them that give up together would ask twenty thousand times. */
	@Test
	void readersWhoGiveUpDoNotMakeOthersAsk() {
		ask(LockMode.EXCLUSIVE, null).join();
		List<CompletableFuture<Lease>> readers = IntStream.range(0, 10)
			.mapToObj((i) -> ask(LockMode.READ, null))
			.toList();
		int before = this.store.sent(Command.ACQUIRE);
		readers.subList(0, 9).forEach((reader) -> reader.cancel(false));
		assertThat(this.store.sent(Command.ACQUIRE)).isEqualTo(before);
	}

	private CompletableFuture<Lease> ask(LockMode mode, Object owner) {
		LockRequest request = LockRequest.of("k").mode(mode).waitFor(LONG);
		return this.instance.acquire((owner != null) ? request.ownedBy(owner) : request);
	}

	private List<RequestId> requests() {
		return this.store.asked().stream().map(AcquireCommand::request).toList();
	}

	private void befriend(Object owner, Lease lease) {
		this.friends.add(owner);
		((TemplateLease) lease).ownersChanged();
	}

	private void assertNothingLeft() {
		assertThat(this.instance.engine.instance.heldCount()).isZero();
		assertThat(this.instance.engine.queues.index.size()).isZero();
		assertThat(this.instance.engine.instance.backgroundCount()).isZero();
		assertThat(this.instance.engine.instance.timers.size()).isZero();
	}

	/** Enters the locks of those that have been befriended. */
	private final class Friend implements LockOwner {

		@Override
		public boolean enters(Object other) {
			return KeyQueueModeTests.this.friends.contains(other);
		}

	}

}
