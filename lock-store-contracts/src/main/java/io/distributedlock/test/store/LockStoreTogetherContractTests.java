package io.distributedlock.test.store;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.store.AbandonCommand;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static io.distributedlock.test.store.Patience.await;

/**
 * The whole contract of every store: several exclusive locks in one command, and the
 * inherited suites.
 */
public abstract class LockStoreTogetherContractTests extends LockStoreSetContractTests {

	private final String tag = "{" + newKey() + "}";

	private final LockKey a = new LockKey("together", this.tag + "a");

	private final LockKey b = new LockKey("together", this.tag + "b");

	private final LockKey c = new LockKey("together", this.tag + "c");

	private final List<LockKey> all = List.of(this.a, this.b, this.c);

	@Test
	void takesTogetherWhenKeysShareASlot() {
		assertThat(this.first.store.takesTogether(this.all)).isTrue();
	}

	@Test
	void acquireOfSeveralWhenAllAreFreeTakesAll() {
		assertThat(acquire(this.first, this.all, TTL)).isInstanceOf(Granted.class);
		for (LockKey key : this.all) {
			assertThat(acquire(this.second, List.of(key), TTL)).isInstanceOfSatisfying(Busy.class, (busy) -> {
				assertThat(busy.holder()).isEqualTo(this.first.name());
				assertThat(busy.index()).isZero();
			});
		}
	}

	@Test
	void acquireOfSeveralWhenOneIsHeldNamesItAndTakesNone() {
		acquire(this.second, List.of(this.b), TTL);
		assertThat(acquire(this.first, this.all, TTL)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.index()).isEqualTo(1);
			assertThat(busy.holder()).isEqualTo(this.second.name());
			assertThat(busy.remaining()).isPositive().isLessThanOrEqualTo(TTL);
		});
		assertFree(this.a, this.c);
	}

	@Test
	void acquireOfSeveralWhenTwoAreHeldNamesTheFirst() {
		acquire(this.second, List.of(this.b), TTL);
		acquire(this.third, List.of(this.c), TTL);
		assertThat(acquire(this.first, List.of(this.c, this.a, this.b), TTL)).isInstanceOfSatisfying(Busy.class,
				(busy) -> {
					assertThat(busy.index()).isZero();
					assertThat(busy.holder()).isEqualTo(this.third.name());
				});
	}

	@Test
	void acquireOfSeveralWhenOneIsKeptNamesItWithoutHolder() {
		RequestId request = this.second.request();
		this.second.acquire(command(List.of(this.c), request, SHORTER, TTL, 0, Duration.ZERO));
		release(this.second, List.of(this.c), request);
		assertThat(acquire(this.first, this.all, TTL)).isInstanceOfSatisfying(Busy.class, (busy) -> {
			assertThat(busy.index()).isEqualTo(2);
			assertThat(busy.holder()).isEmpty();
		});
	}

	@Test
	void tokenOfSeveralIsLargerThanTheLastOfEach() {
		long last = raiseToken(this.b, token(acquire(this.first, List.of(this.a), SHORT)) + 50_000_000);
		awaitFree(this.a);
		RequestId request = this.first.request();
		long token = token(acquire(this.first, this.all, request, TTL));
		assertThat(token).isGreaterThan(last);
		release(this.first, this.all, request);
		for (LockKey key : this.all) {
			assertThat(token(acquire(this.second, List.of(key), TTL))).isGreaterThan(token);
		}
	}

	@Test
	void tokenOfSeveralIsLargerThanTheLargestThatTheClientHasSeen() {
		long seen = raiseToken(this.a, 0) + 50_000_000;
		AcquireCommand command = command(this.all, this.first.request(), TTL, Duration.ZERO, seen, Duration.ZERO);
		assertThat(token(this.first.acquire(command))).isGreaterThan(seen);
	}

	@Test
	void acquireOfSeveralWhenRepeatedKeepsTheTokenAndOnlyLengthens() {
		RequestId request = this.first.request();
		AcquireOutcome outcome = acquire(this.first, this.all, request, SHORTER);
		assertThat(acquire(this.first, this.all, request, TTL)).isEqualTo(outcome);
		assertThat(acquire(this.first, this.all, request, SHORT)).isEqualTo(outcome);
		assertThat(this.all).allSatisfy((key) -> assertThat(remaining(key)).isGreaterThan(Duration.ofSeconds(10)));
	}

	@Test
	void extendOfSeveralSetsAllAnew() {
		RequestId request = this.first.request();
		acquire(this.first, this.all, request, SHORTER);
		assertThat(extend(request, TTL, RenewalMarks.NONE.with(1, 0))).isEqualTo(Ownership.HELD);
		assertThat(this.all).allSatisfy((key) -> assertThat(remaining(key)).isGreaterThan(Duration.ofSeconds(10)));
		assertThat(extend(request, SHORTER, RenewalMarks.NONE.with(1, 0).with(2, 0))).isEqualTo(Ownership.HELD);
		assertThat(this.all).allSatisfy((key) -> assertThat(remaining(key)).isBetween(Duration.ofMillis(1), SHORTER));
	}

	@Test
	void extendOfSeveralWhenOneWasLostIsNotHeld() {
		RequestId request = this.first.request();
		acquire(this.first, this.all, request, TTL);
		abandon(this.first, List.of(this.b), request);
		assertThat(extend(request, TTL, RenewalMarks.NONE.with(1, 0))).isNotEqualTo(Ownership.HELD);
		assertFree(this.b);
	}

	private Ownership extend(RequestId request, Duration ttl, RenewalMarks marks) {
		return this.first.store.extend(new ExtendCommand(this.all, request, ttl, null, marks)).join();
	}

	@Test
	void acquireOfSeveralWhenReleasedBeforeIsRefused() {
		RequestId request = this.first.request();
		acquire(this.first, this.all, request, TTL);
		release(this.first, this.all, request);
		assertThat(acquire(this.first, this.all, request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void acquireOfSeveralWhenAbandonedBeforeItArrivesIsRefused() {
		RequestId request = this.first.request();
		abandon(this.first, this.all, request);
		assertThat(acquire(this.first, this.all, request, TTL)).isInstanceOf(Refused.class);
		assertFree(this.a, this.b, this.c);
	}

	@Test
	void acquireOfSeveralWhenExpiredBeforeIsRefused() {
		RequestId request = this.first.request();
		acquire(this.first, this.all, request, SHORT);
		awaitFree(this.c);
		assertThat(acquire(this.first, this.all, request, TTL)).isInstanceOf(Refused.class);
	}

	@Test
	void acquireOfSeveralWhenOneWasLostIsRefusedAndChangesNothing() {
		RequestId request = this.first.request();
		acquire(this.first, this.all, request, TTL);
		abandon(this.first, List.of(this.b), request);
		assertThat(acquire(this.first, this.all, request, TTL.multipliedBy(2))).isInstanceOf(Refused.class);
		assertFree(this.b);
		assertThat(remaining(this.a)).isPositive().isLessThanOrEqualTo(TTL);
	}

	@Test
	void acquireOfSeveralWhenOnlySomeAreOwnedIsRefusedAndTakesNoMore() {
		RequestId request = this.first.request();
		acquire(this.first, List.of(this.b), request, TTL);
		assertThat(acquire(this.first, this.all, request, TTL)).isInstanceOf(Refused.class);
		assertFree(this.a, this.c);
	}

	@Test
	void renewOfSeveralExtendsEach() {
		RequestId request = this.first.request();
		acquire(this.first, this.all, request, SHORTER);
		List<RenewCommand> commands = this.all.stream().map((key) -> new RenewCommand(key, request, TTL)).toList();
		assertThat(answers(this.first.store.renew(commands))).containsOnly(Ownership.HELD);
	}

	@Test
	void releaseOfSeveralFreesAllAlsoWhenRepeated() {
		RequestId request = this.first.request();
		acquire(this.first, this.all, request, TTL);
		assertThat(release(this.first, this.all, request)).isTrue();
		assertThat(acquire(this.second, List.of(this.b), TTL)).isInstanceOf(Granted.class);
		assertThat(release(this.first, this.all, request)).as("it was released, by itself").isTrue();
		assertFree(this.a, this.c);
		assertThat(remaining(this.b)).isPositive();
	}

	@Test
	void releaseOfSeveralWhenOneWasLostIsFalseAndFreesTheOthers() {
		RequestId request = this.first.request();
		acquire(this.first, this.all, request, TTL);
		abandon(this.first, List.of(this.a), request);
		assertThat(release(this.first, this.all, request)).isFalse();
		assertFree(this.a, this.b, this.c);
	}

	@Test
	void releaseOfSeveralWhenTheLastWasLostIsFalse() {
		RequestId request = this.first.request();
		acquire(this.first, this.all, request, TTL);
		abandon(this.first, List.of(this.c), request);
		assertThat(release(this.first, this.all, request)).isFalse();
	}

	@Test
	void releaseOfSeveralWhenExpiredIsFalse() {
		RequestId request = this.first.request();
		acquire(this.first, this.all, request, SHORT);
		awaitFree(this.b);
		assertThat(release(this.first, this.all, request)).isFalse();
	}

	@Test
	void releaseOfSeveralWakesAWaiterOfEach() {
		RequestId request = this.first.request();
		acquire(this.first, this.all, request, TTL);
		waitFor(this.second, List.of(this.a));
		waitFor(this.third, List.of(this.c));
		release(this.first, this.all, request);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.a.encoded());
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.c.encoded());
	}

	@Test
	void abandonOfSeveralFreesAllAlsoKeptOnesAndWakesAWaiterOfEach() {
		RequestId request = this.first.request();
		this.first.acquire(command(this.all, request, TTL, TTL, 0, Duration.ZERO));
		waitFor(this.second, List.of(this.a));
		waitFor(this.third, List.of(this.b));
		abandon(this.first, this.all, request);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.a.encoded());
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.b.encoded());
		assertFree(this.a, this.b, this.c);
	}

	@Test
	void waiterForSeveralIsWokenByTheBusyOneOnly() {
		RequestId busy = this.first.request();
		acquire(this.first, List.of(this.b), busy, TTL);
		waitFor(this.second, this.all);
		RequestId other = this.first.request();
		acquire(this.first, List.of(this.a, this.c), other, TTL);
		release(this.first, List.of(this.a, this.c), other);
		release(this.first, List.of(this.b), busy);
		assertThat(this.second.awaitWakeUp()).isEqualTo(this.b.encoded());
		assertNoMore(this.second.wakeUps);
	}

	@Test
	void waiterForSeveralThatIsAbandonedLeavesTheLine() {
		RequestId busy = this.first.request();
		acquire(this.first, List.of(this.b), busy, TTL);
		RequestId gaveUp = waitFor(this.second, this.all);
		waitFor(this.third, this.all);
		abandon(this.second, this.all, gaveUp);
		release(this.first, List.of(this.b), busy);
		assertThat(this.third.awaitWakeUp()).isEqualTo(this.b.encoded());
		assertThat(this.second.wakeUps).isEmpty();
	}

	@Test
	void keepForOfSeveralOutlivesTheReleaseOfEach() {
		RequestId request = this.first.request();
		this.first.acquire(command(this.all, request, SHORTER, TTL, 0, Duration.ZERO));
		assertThat(release(this.first, this.all, request)).isTrue();
		assertThat(this.all).allSatisfy((key) -> assertThat(remaining(key)).isPositive());
	}

	private static AcquireCommand command(List<LockKey> keys, RequestId request, Duration ttl, Duration keepFor,
			long highestToken, Duration waiting) {
		return new AcquireCommand(keys, request, LockMode.EXCLUSIVE, 0, null, ttl, keepFor, waiting, highestToken,
				false);
	}

	private static AcquireOutcome acquire(Instance instance, List<LockKey> keys, Duration ttl) {
		return acquire(instance, keys, instance.request(), ttl);
	}

	private static AcquireOutcome acquire(Instance instance, List<LockKey> keys, RequestId request, Duration ttl) {
		return instance.acquire(command(keys, request, ttl, Duration.ZERO, 0, Duration.ZERO));
	}

	private static RequestId waitFor(Instance instance, List<LockKey> keys) {
		RequestId request = instance.request();
		assertThat(instance.acquire(command(keys, request, TTL, Duration.ZERO, 0, WAITING))).isInstanceOf(Busy.class);
		instance.settle();
		return request;
	}

	private static boolean release(Instance instance, List<LockKey> keys, RequestId request) {
		return instance.store.release(new ReleaseCommand(keys, request, RenewalMarks.NONE)).join() == Ownership.HELD;
	}

	private static void abandon(Instance instance, List<LockKey> keys, RequestId request) {
		instance.store.abandon(new AbandonCommand(keys, request)).join();
	}

	/** Raise the last token of a free lock above another token, and return it. */
	private long raiseToken(LockKey key, long highest) {
		RequestId request = this.second.request();
		AcquireOutcome outcome = this.second
			.acquire(command(List.of(key), request, TTL, Duration.ZERO, highest, Duration.ZERO));
		release(this.second, List.of(key), request);
		return token(outcome);
	}

	private void assertFree(LockKey... keys) {
		assertThat(keys).allSatisfy((key) -> assertThat(remaining(key)).isZero());
	}

	private void awaitFree(LockKey key) {
		await().until(() -> remaining(key).isZero());
	}

	/** Return how long a lock is still busy. Leaves no trace. */
	private Duration remaining(LockKey key) {
		RequestId probe = this.third.request();
		if (acquire(this.third, List.of(key), probe, TTL) instanceof Busy busy) {
			return busy.remaining();
		}
		abandon(this.third, List.of(key), probe);
		return Duration.ZERO;
	}

}
