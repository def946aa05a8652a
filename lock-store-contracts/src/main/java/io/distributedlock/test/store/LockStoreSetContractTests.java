package io.distributedlock.test.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.LockMode.EXCLUSIVE;
import static io.distributedlock.LockMode.FAIR;
import static io.distributedlock.LockMode.READ;
import static io.distributedlock.LockMode.SEMAPHORE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract of every store for several locks of every mode in one command.
 */
public abstract class LockStoreSetContractTests extends LockStoreInspectionContractTests {

	private final String tag = "{" + newKey() + "}";

	private final LockKey a = new LockKey("set", this.tag + "a");

	private final LockKey b = new LockKey("set", this.tag + "b");

	private final LockKey c = new LockKey("set", this.tag + "c");

	private final List<LockKey> all = List.of(this.a, this.b, this.c);

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void setOfAnyKindIsTakenRepeatedRenewedReleasedAndRefused(LockMode mode) {
		RequestId request = this.first.request();
		AcquireOutcome outcome = this.first.acquire(mode, this.all, request, SHORTER, Duration.ZERO);
		assertThat(outcome).isInstanceOf(Granted.class);
		assertThat(this.first.acquire(mode, this.all, request, TTL, Duration.ZERO)).isEqualTo(outcome);
		assertThat(this.all).allSatisfy((key) -> assertThat(isFree(key)).isFalse());
		List<RenewCommand> commands = this.all.stream().map((key) -> new RenewCommand(key, request, TTL)).toList();
		assertThat(answers(this.first.store.renew(commands))).containsOnly(Ownership.HELD);
		assertThat(this.first.store.release(new ReleaseCommand(this.all, request, RenewalMarks.NONE)).join())
			.isEqualTo(Ownership.HELD);
		assertThat(this.all).allSatisfy((key) -> assertThat(isFree(key)).isTrue());
		assertThat(this.first.acquire(mode, this.all, request, TTL, Duration.ZERO)).isInstanceOf(Refused.class);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void setOfAnyKindIsTakenNotAtAllIfOneIsBusy(LockMode mode) {
		for (int i = 0; i < PERMITS; i++) {
			LockMode other = (mode == READ) ? EXCLUSIVE : mode;
			this.second.acquire(other, List.of(this.b), this.second.request(), TTL, Duration.ZERO);
		}
		AcquireOutcome outcome = this.first.acquire(mode, this.all, this.first.request(), TTL, Duration.ZERO);
		assertThat(outcome).isInstanceOfSatisfying(Busy.class, (busy) -> assertThat(busy.index()).isEqualTo(1));
		assertThat(isFree(this.a)).isTrue();
		assertThat(isFree(this.c)).isTrue();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void setOfAnyKindOfWhichOneIsLostIsRefused(LockMode mode) {
		RequestId request = this.first.request();
		this.first.acquire(mode, this.all, request, TTL, Duration.ZERO);
		this.first.store.abandon(new AbandonCommand(this.c, request)).join();
		assertThat(this.first.acquire(mode, this.all, request, TTL, Duration.ZERO)).isInstanceOf(Refused.class);
		assertThat(this.first.store.release(new ReleaseCommand(this.all, request, RenewalMarks.NONE)).join())
			.isEqualTo(Ownership.EXPIRED);
		assertThat(this.all).allSatisfy((key) -> assertThat(isFree(key)).isTrue());
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void setOfTheMostKeysOfARequestIsTakenAndReleased(LockMode mode) {
		List<LockKey> most = keys(LockRequest.MAX_KEYS);
		RequestId request = this.first.request();
		assertThat(this.first.acquire(mode, most, request, TTL, Duration.ZERO)).isInstanceOf(Granted.class);
		assertThat(firstMiddleAndLast(most)).allSatisfy((key) -> assertThat(isFree(key)).isFalse());
		assertThat(this.first.store.release(new ReleaseCommand(most, request, RenewalMarks.NONE)).join())
			.isEqualTo(Ownership.HELD);
		assertThat(firstMiddleAndLast(most)).allSatisfy((key) -> assertThat(isFree(key)).isTrue());
	}

	/**
	 * No request of a caller has so many keys. A store that counted keys in two bytes
	 * granted them, and locked none.
	 */
	@Test
	void setThatIsTooLargeIsRefusedOrTakenAsAWhole() {
		List<LockKey> many = keys(65_536);
		boolean taken;
		try {
			taken = this.first.acquire(EXCLUSIVE, many, this.first.request(), TTL, Duration.ZERO) instanceof Granted;
		}
		catch (RuntimeException ex) {
			assertThat(ex).hasStackTraceContaining("65536");
			taken = false;
		}
		for (LockKey key : firstMiddleAndLast(many)) {
			assertThat(isFree(key)).isNotEqualTo(taken);
		}
	}

	private List<LockKey> keys(int count) {
		return IntStream.range(0, count).mapToObj((i) -> new LockKey("set", this.tag + i)).toList();
	}

	private static List<LockKey> firstMiddleAndLast(List<LockKey> keys) {
		return List.of(keys.get(0), keys.get(keys.size() / 2), keys.get(keys.size() - 1));
	}

	@Test
	void readersOfOverlappingSetsHoldThemTogether() {
		RequestId one = this.first.request();
		this.first.acquire(READ, List.of(this.a, this.b), one, TTL, Duration.ZERO);
		assertThat(this.second.acquire(READ, List.of(this.b, this.c), this.second.request(), TTL, Duration.ZERO))
			.isInstanceOf(Granted.class);
		this.first.store.release(new ReleaseCommand(List.of(this.a, this.b), one, RenewalMarks.NONE)).join();
		assertThat(isFree(this.a)).isTrue();
		assertThat(isFree(this.b)).isFalse();
	}

	@Test
	void readTokenOfASetIsTheLargestOfTheirs() {
		long largest = 0;
		for (LockKey key : this.all) {
			RequestId request = this.first.request();
			largest = token(this.first.acquire(EXCLUSIVE, List.of(key), request, TTL, Duration.ZERO));
			this.first.store.release(new ReleaseCommand(key, request)).join();
		}
		assertReaderHas(largest, this.second.acquire(READ, this.all, this.second.request(), TTL, Duration.ZERO));
	}

	@Test
	void fairWaitersForOverlappingSetsAreServedInOrder() {
		RequestId ownerA = this.first.request();
		this.first.acquire(FAIR, List.of(this.a), ownerA, TTL, Duration.ZERO);
		RequestId ownerB = this.first.request();
		this.first.acquire(FAIR, List.of(this.b), ownerB, TTL, Duration.ZERO);
		List<LockKey> forth = List.of(this.a, this.b);
		List<LockKey> back = List.of(this.b, this.a);
		RequestId one = this.second.request();
		assertThat(this.second.acquire(FAIR, forth, one, TTL, WAITING)).isInstanceOf(Busy.class);
		RequestId two = this.third.request();
		assertThat(this.third.acquire(FAIR, back, two, TTL, WAITING)).isInstanceOf(Busy.class);
		this.first.store.release(new ReleaseCommand(this.b, ownerB)).join();
		assertThat(this.third.acquire(FAIR, back, two, TTL, WAITING)).isInstanceOf(Busy.class);
		this.first.store.release(new ReleaseCommand(this.a, ownerA)).join();
		assertThat(this.third.acquire(FAIR, back, two, TTL, WAITING)).isInstanceOf(Busy.class);
		assertThat(this.second.acquire(FAIR, forth, one, TTL, WAITING)).isInstanceOf(Granted.class);
		this.second.store.release(new ReleaseCommand(forth, one, RenewalMarks.NONE)).join();
		assertThat(this.third.acquire(FAIR, back, two, TTL, WAITING)).isInstanceOf(Granted.class);
	}

	@Test
	void fairWaiterForASetStandsInEveryLine() {
		RequestId owner = this.first.request();
		this.first.acquire(FAIR, List.of(this.b), owner, TTL, Duration.ZERO);
		RequestId waiting = this.second.request();
		assertThat(this.second.acquire(FAIR, this.all, waiting, TTL, WAITING)).isInstanceOf(Busy.class);
		for (LockKey key : this.all) {
			assertThat(this.third.acquire(FAIR, List.of(key), this.third.request(), TTL, Duration.ZERO))
				.isInstanceOf(Busy.class);
		}
		this.second.store.abandon(new AbandonCommand(this.all, waiting)).join();
		assertThat(isFree(this.a)).isTrue();
		assertThat(isFree(this.c)).isTrue();
	}

	@Test
	void readerOfASetWhoCouldComeInMakesRoomWhenAnotherLockOfItIsBusy() {
		within(PHASE, () -> {
			LockKey a = new LockKey("set", "{" + this.key.key() + "}a");
			LockKey b = new LockKey("set", "{" + this.key.key() + "}b");
			RequestId ownerA = this.first.request();
			RequestId ownerB = this.first.request();
			this.first.acquire(EXCLUSIVE, List.of(a), ownerA, TTL, Duration.ZERO);
			this.first.acquire(EXCLUSIVE, List.of(b), ownerB, TTL, Duration.ZERO);
			awaitTaken(a.encoded(), ownerA);
			awaitTaken(b.encoded(), ownerB);
			RequestId reader = this.second.request();
			List<LockKey> both = List.of(a, b);
			assertThat(this.second.acquire(READ, both, reader, TTL, WAITING)).isInstanceOf(Busy.class);
			this.second.settle();
			long released = System.nanoTime();
			this.first.store.release(new ReleaseCommand(a, ownerA)).join();
			awaitReleased(a.encoded(), ownerA);
			RequestId writer = this.third.request();
			assertThat(this.third.acquire(EXCLUSIVE, List.of(a), writer, TTL, WAITING)).as("it is the readers' turn")
				.isInstanceOf(Busy.class);
			this.third.settle();
			assertThat(this.second.acquire(READ, both, reader, TTL, WAITING)).isInstanceOfSatisfying(Busy.class,
					(busy) -> assertThat(busy.index()).isEqualTo(1));
			assertThat(Duration.ofNanos(System.nanoTime() - released)).as("or no waiter is woken").isLessThan(PHASE);
			assertThat(this.third.awaitWakeUp()).isEqualTo(a.encoded());
			assertThat(this.third.acquire(EXCLUSIVE, List.of(a), writer, TTL, WAITING)).isInstanceOf(Granted.class);
		});
	}

	@Test
	void permitOfEachIsTaken() {
		List<RequestId> requests = new ArrayList<>();
		for (int i = 0; i < PERMITS; i++) {
			requests.add(this.first.request());
			assertThat(this.first.acquire(SEMAPHORE, this.all, requests.get(i), TTL, Duration.ZERO))
				.isInstanceOf(Granted.class);
		}
		assertThat(this.second.acquire(SEMAPHORE, List.of(this.c), this.second.request(), TTL, Duration.ZERO))
			.isInstanceOf(Busy.class);
		this.first.store.release(new ReleaseCommand(this.all, requests.get(0), RenewalMarks.NONE)).join();
		assertThat(this.second.acquire(SEMAPHORE, List.of(this.c), this.second.request(), TTL, Duration.ZERO))
			.isInstanceOf(Granted.class);
	}

	@Test
	void releaseReservesTheFirstBusyLockForASetThatWaits() {
		RequestId owner = take(this.first, this.a);
		RequestId waiter = waitForAll(this.second);
		release(this.first, this.a, owner);
		String message = Objects.requireNonNull(this.second.awaitWakeUp());
		if (this.second.hasClaims()) {
			assertThat(message).startsWith(turn(this.a.encoded(), waiter.toString()) + " has ");
			assertThat(isFree(this.a)).isFalse();
			assertThat(isFree(this.b)).isTrue();
		}
		long token = token(attempt(this.second, waiter));
		if (this.second.hasClaims()) {
			assertThat(Long.parseLong(message.substring(message.lastIndexOf(' ') + 1))).isLessThan(token);
		}
		assertThat(this.all).allSatisfy((key) -> assertThat(isFree(key)).isFalse());
		assertThat(attempt(this.second, waiter)).isEqualTo(new Granted(token));
		this.second.store.release(new ReleaseCommand(this.all, waiter, RenewalMarks.NONE)).join();
		assertThat(this.all).allSatisfy((key) -> assertThat(isFree(key)).isTrue());
	}

	@Test
	void reservedLockStaysReservedWhileALaterOneIsHeld() {
		RequestId ownerA = take(this.first, this.a);
		RequestId ownerC = take(this.first, this.c);
		RequestId waiter = waitForAll(this.second);
		release(this.first, this.a, ownerA);
		this.second.awaitWakeUp();
		assertThat(attempt(this.second, waiter)).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.index()).isEqualTo(2));
		assertThat(isFree(this.a)).isEqualTo(!this.second.hasClaims());
		assertThat(isFree(this.b)).isTrue();
		this.second.settle();
		release(this.first, this.c, ownerC);
		this.second.awaitWakeUp();
		assertThat(attempt(this.second, waiter)).isInstanceOf(Granted.class);
	}

	@Test
	void reservedLockAfterTheBusyOneGoesToTheNextWaiter() {
		RequestId ownerB = take(this.first, this.b);
		RequestId waiter = waitForAll(this.second);
		RequestId next = this.third.request();
		assertThat(attempt(this.third, next, List.of(this.b))).isInstanceOf(Busy.class);
		this.third.settle();
		assertThat(attempt(this.third, next, List.of(this.b))).isInstanceOf(Busy.class);
		RequestId ownerA = take(this.first, this.a);
		release(this.first, this.b, ownerB);
		this.second.awaitWakeUp();
		assertThat(attempt(this.second, waiter)).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.index()).isZero());
		if (this.second.hasClaims()) {
			assertThat(this.third.awaitWakeUp()).startsWith(turn(this.b.encoded(), next.toString()) + " has ");
		}
		assertThat(attempt(this.third, next, List.of(this.b))).isInstanceOf(Granted.class);
		this.third.store.release(new ReleaseCommand(this.b, next)).join();
		this.second.settle();
		release(this.first, this.a, ownerA);
		this.second.awaitWakeUp();
		assertThat(attempt(this.second, waiter)).isInstanceOf(Granted.class);
	}

	@Test
	void abandonedSetLeavesNoLockReserved() {
		take(this.first, this.c);
		RequestId waiter = waitWithTheFirstReserved();
		this.second.store.abandon(new AbandonCommand(this.all, waiter)).join();
		assertThat(isFree(this.a)).isTrue();
		assertThat(attempt(this.second, waiter)).isInstanceOf(Refused.class);
	}

	@Test
	void setThatHasLostAReservedLockIsRefused() {
		take(this.first, this.c);
		RequestId waiter = waitWithTheFirstReserved();
		this.second.store.abandon(new AbandonCommand(this.a, waiter)).join();
		assertThat(attempt(this.second, waiter)).isInstanceOf(Refused.class);
	}

	@Test
	void setThatHasReservedALockGivesWayToAFairRequest() {
		RequestId ownerC = take(this.first, this.c);
		RequestId waiter = waitWithTheFirstReserved();
		RequestId fair = this.third.request();
		assertThat(this.third.acquire(FAIR, List.of(this.a, this.c), fair, TTL, WAITING)).isInstanceOf(Busy.class);
		release(this.first, this.c, ownerC);
		assertThat(attempt(this.second, waiter)).isInstanceOf(Busy.class);
		assertThat(this.third.acquire(FAIR, List.of(this.a, this.c), fair, TTL, WAITING)).isInstanceOf(Granted.class);
	}

	@Test
	void setAndSingleLockOfOneInstanceWaitSideBySide() {
		RequestId owner = take(this.first, this.a);
		RequestId single = this.second.request(1);
		RequestId set = this.second.request(2);
		assertThat(attempt(this.second, single, List.of(this.a))).isInstanceOf(Busy.class);
		this.second.settle();
		assertThat(attempt(this.second, single, List.of(this.a))).isInstanceOf(Busy.class);
		assertThat(attempt(this.second, set)).isInstanceOf(Busy.class);
		this.second.settle();
		release(this.first, this.a, owner);
		this.second.awaitWakeUp();
		assertThat(attempt(this.second, single, List.of(this.a))).isInstanceOf(Granted.class);
		this.second.store.release(new ReleaseCommand(this.a, single)).join();
		String message = this.second.awaitWakeUp();
		if (this.second.hasClaims()) {
			assertThat(message).startsWith(turn(this.a.encoded(), set.toString()) + " has ");
		}
		assertThat(attempt(this.second, set)).isInstanceOf(Granted.class);
	}

	private RequestId take(Instance instance, LockKey key) {
		RequestId request = instance.request();
		assertThat(instance.acquire(EXCLUSIVE, List.of(key), request, TTL, Duration.ZERO)).isInstanceOf(Granted.class);
		awaitTaken(key.encoded(), request);
		return request;
	}

	private void release(Instance instance, LockKey key, RequestId request) {
		assertThat(instance.store.release(new ReleaseCommand(key, request)).join()).isEqualTo(Ownership.HELD);
		awaitReleased(key.encoded(), request);
	}

	/** Wait for the set, of which at least one lock is busy. */
	private RequestId waitForAll(Instance instance) {
		RequestId request = instance.request();
		assertThat(attempt(instance, request)).isInstanceOf(Busy.class);
		instance.settle();
		assertThat(attempt(instance, request)).isInstanceOf(Busy.class);
		return request;
	}

	/** Wait for the set, of which the last lock is held, with the first one reserved. */
	private RequestId waitWithTheFirstReserved() {
		RequestId owner = take(this.first, this.a);
		RequestId waiter = waitForAll(this.second);
		release(this.first, this.a, owner);
		this.second.awaitWakeUp();
		attempt(this.second, waiter);
		return waiter;
	}

	private AcquireOutcome attempt(Instance instance, RequestId request) {
		return attempt(instance, request, this.all);
	}

	private AcquireOutcome attempt(Instance instance, RequestId request, List<LockKey> keys) {
		return instance.acquire(new AcquireCommand(keys, request, EXCLUSIVE, 0, null, TTL, Duration.ZERO, WAITING, 0,
				false, 0, instance.hasClaims() ? TTL : Duration.ZERO));
	}

	/** Return whether a lock is free. Leaves no trace. */
	private boolean isFree(LockKey key) {
		RequestId probe = this.third.request();
		try {
			return this.third.acquire(EXCLUSIVE, List.of(key), probe, TTL, Duration.ZERO) instanceof Granted;
		}
		catch (CompletionException ex) {
			return false;
		}
		finally {
			this.third.store.abandon(new AbandonCommand(key, probe)).join();
		}
	}

}
