package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.ScriptedStore.Command;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store has an instance in line for a key once, although several of its queues may
 * want that key.
 */
class KeyQueueSharedLineTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ManualInstance here = new ManualInstance();

	private final ManualInstance there = this.here.another();

	@BeforeEach
	void takeTogether() {
		this.here.store.takeTogether();
	}

	/**
	 * The waiter entry that one waiter removed was missing for the other until its next
	 * poll.
	 */
	@ParameterizedTest
	@CsvSource({ "a+b, a", "a, a+b", "a+b, a+c", "a+b+c, c+a" })
	void waiterIsWokenAlthoughAnotherWaiterForTheKeyHasGivenUp(String leaving, String staying) {
		Lease held = this.there.acquire(LockRequest.of("a")).join();
		CompletableFuture<Lease> gone = acquire(leaving);
		CompletableFuture<Lease> waiting = acquire(staying);
		gone.cancel(true);
		held.close();
		this.here.runDue();
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
	}

	/** The same if the store does not answer at once. */
	@Test
	void waiterLooksAgainWhenTheStoreHasAnsweredTheEndOfAnother() {
		Lease held = this.there.acquire(LockRequest.of("a")).join();
		CompletableFuture<Lease> gone = acquire("a+b");
		CompletableFuture<Lease> waiting = acquire("a");
		ScriptedStore.Held abandon = this.here.store.hold(Command.ABANDON);
		gone.cancel(true);
		abandon.answer();
		held.close();
		this.here.runDue();
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
	}

	/** A reader that has no place yet removes the waiter entry of its instance. */
	@Test
	void waiterIsWokenAlthoughAReaderHasGivenUpBeforeItCame() {
		Lease held = this.there.acquire(LockRequest.of("a")).join();
		CompletableFuture<Lease> waiting = acquire("a");
		ScriptedStore.Held lost = this.here.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> gone = this.here.acquire(LockRequest.of("a").mode(LockMode.READ).waitFor(LONG));
		gone.cancel(true);
		held.close();
		this.here.runDue();
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
	}

	/** The same if the store handles the removal only after the waiter has attempted. */
	@Test
	void waiterIsWokenAlthoughTheEndOfAReaderComesLate() {
		Lease held = this.there.acquire(LockRequest.of("a")).join();
		this.here.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> gone = this.here.acquire(LockRequest.of("a").mode(LockMode.READ).waitFor(LONG));
		this.here.store.fail(Command.ABANDON, LockStoreException.Kind.UNAVAILABLE);
		gone.cancel(true);
		CompletableFuture<Lease> waiting = acquire("a");
		this.here.advance(Duration.ofMillis(100));
		assertThat(this.here.store.sent(Command.ABANDON)).isEqualTo(2);
		held.close();
		this.here.runDue();
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
	}

	/** A waiter for one key attempts no more often than without sets of keys. */
	@Test
	void waiterForOneKeyDoesNotLookAgain() {
		this.there.acquire(LockRequest.of("a")).join();
		CompletableFuture<Lease> gone = acquire("a");
		this.here.acquire(LockRequest.of("a").ttl(Duration.ofSeconds(90)).waitFor(LONG));
		int sent = this.here.store.sent(Command.ACQUIRE);
		gone.cancel(true);
		this.here.runDue();
		assertThat(this.here.store.sent(Command.ACQUIRE)).isEqualTo(sent + 1);
	}

	private CompletableFuture<Lease> acquire(String keys) {
		return this.here.acquire(LockRequest.ofAll(keys.split("\\+")).waitFor(LONG));
	}

}
