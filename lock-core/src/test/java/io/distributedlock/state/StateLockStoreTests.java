package io.distributedlock.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** A store that expects states and times, and knows which change takes a lock. */
class StateLockStoreTests {

	private static final LockKey KEY = new LockKey("", "a");

	private static final List<LockKey> ALL = List.of(KEY, new LockKey("", "b"), new LockKey("", "c"));

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final Duration SHORT = Duration.ofSeconds(1);

	private static final RequestId FIRST = RequestId.of(1, 0, 1, 0);

	private static final RequestId SECOND = RequestId.of(2, 0, 1, 0);

	private static final RequestId THIRD = RequestId.of(3, 0, 1, 0);

	private final Expecting store = new Expecting();

	private AcquireOutcome acquire(RequestId request, LockMode mode, Duration ttl) {
		return this.store
			.acquire(new AcquireCommand(List.of(KEY), request, mode, (mode == LockMode.SEMAPHORE) ? 2 : 0, null, ttl,
					Duration.ZERO, Duration.ofSeconds(3), 0, false))
			.join();
	}

	private void grant(RequestId request, LockMode mode, Duration ttl) {
		assertThat(acquire(request, mode, ttl)).isInstanceOf(AcquireOutcome.Granted.class);
	}

	private Ownership renew(RequestId request) {
		return this.store.renew(List.of(new RenewCommand(KEY, request, TTL))).get(0).join();
	}

	private Ownership release(RequestId request) {
		return this.store.release(new ReleaseCommand(KEY, request)).join();
	}

	private void pass(Duration time) {
		this.store.micros += time.toNanos() / 1000;
	}

	@Test
	void knownStateIsReplacedWithoutARead() {
		grant(FIRST, LockMode.EXCLUSIVE, TTL);
		assertThat(release(FIRST)).isEqualTo(Ownership.HELD);
		grant(SECOND, LockMode.EXCLUSIVE, TTL);
		assertThat(this.store.reads).isZero();
		assertThat(this.store.replacements).hasSize(3);
	}

	/** An answer on a guess that changes nothing could be about a state of long ago. */
	@Test
	void answerThatChangesNothingIsGivenOnAStateThatWasRead() {
		grant(FIRST, LockMode.EXCLUSIVE, TTL);
		this.store.seen.put(KEY, null);
		assertThat(renew(FIRST)).isEqualTo(Ownership.HELD);
		assertThat(this.store.reads).isEqualTo(1);
	}

	@Test
	void refusalOnAGuessIsRepeatedOnAStateThatWasRead() {
		grant(FIRST, LockMode.SEMAPHORE, TTL);
		this.store.texts.remove(KEY);
		grant(SECOND, LockMode.EXCLUSIVE, TTL);
		assertThat(this.store.reads).isEqualTo(1);
		this.store.seen.remove(KEY);
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> acquire(THIRD, LockMode.SEMAPHORE, TTL))
			.withCauseInstanceOf(LockStoreException.class);
	}

	/** The lease ended 10 ms before its holder thought so. */
	@Test
	void leaseLastsAsLongAsItsHolderCountsWhenTheTimeIsEarly() {
		this.store.lagMicros = Expecting.WITHIN.toNanos() / 1000;
		grant(FIRST, LockMode.EXCLUSIVE, TTL);
		this.store.lagMicros = 0;
		pass(TTL.minusMillis(1));
		assertThat(acquire(SECOND, LockMode.EXCLUSIVE, TTL)).isInstanceOf(AcquireOutcome.Busy.class);
		pass(Duration.ofMillis(12));
		grant(SECOND, LockMode.EXCLUSIVE, TTL);
	}

	/**
	 * A later decision took its lease for one of a clock that was set back, and cut it.
	 */
	@Test
	void leaseLastsAsLongAlthoughOthersAttemptAtOnce() {
		this.store.lagMicros = Expecting.WITHIN.toNanos() / 1000;
		grant(FIRST, LockMode.EXCLUSIVE, TTL);
		assertThat(acquire(SECOND, LockMode.EXCLUSIVE, TTL)).isInstanceOf(AcquireOutcome.Busy.class);
		assertThat(renew(FIRST)).isEqualTo(Ownership.HELD);
		assertThat(acquire(THIRD, LockMode.EXCLUSIVE, TTL)).isInstanceOf(AcquireOutcome.Busy.class);
		this.store.lagMicros = 0;
		pass(TTL.minusMillis(1));
		assertThat(acquire(SECOND, LockMode.EXCLUSIVE, TTL)).isInstanceOf(AcquireOutcome.Busy.class);
	}

	/** Contracts ask for it: the remaining time was reported as longer than the lease. */
	@Test
	void leaseIsNeverReportedAsLongerThanItIs() {
		this.store.lagMicros = 0;
		grant(FIRST, LockMode.EXCLUSIVE, TTL);
		assertThat(((AcquireOutcome.Busy) acquire(SECOND, LockMode.EXCLUSIVE, TTL)).remaining()).isEqualTo(TTL);
		assertThat(renew(FIRST)).isEqualTo(Ownership.HELD);
		assertThat(((AcquireOutcome.Busy) acquire(SECOND, LockMode.EXCLUSIVE, TTL)).remaining()).isEqualTo(TTL);
	}

	/** The second renewal of one step cut the lease of the first. */
	@Test
	void leasesThatAreRenewedTogetherLastAsLong() {
		this.store.lagMicros = Expecting.WITHIN.toNanos() / 1000;
		grant(FIRST, LockMode.READ, SHORT);
		grant(SECOND, LockMode.READ, SHORT);
		pass(Duration.ofMillis(20));
		this.store.renew(List.of(new RenewCommand(KEY, FIRST, TTL), new RenewCommand(KEY, SECOND, TTL)));
		this.store.lagMicros = 0;
		pass(TTL.minusMillis(1));
		assertThat(renew(FIRST)).isEqualTo(Ownership.HELD);
		assertThat(renew(SECOND)).isEqualTo(Ownership.HELD);
	}

	@Test
	void lateReplacementIsDecidedAgain() {
		this.store.lagMicros = Expecting.WITHIN.toNanos() / 1000 + 1;
		grant(FIRST, LockMode.EXCLUSIVE, TTL);
		assertThat(this.store.replacements).hasSize(2);
		assertThat(this.store.last().expected().within()).isZero();
	}

	@Test
	void ownRequestsTakeTheLockFromNoOwner() {
		grant(FIRST, LockMode.EXCLUSIVE, TTL);
		renew(FIRST);
		release(FIRST);
		grant(SECOND, LockMode.EXCLUSIVE, TTL);
		assertThat(this.store.replacements).noneMatch(StateLockStore.Replacement::takes);
		assertThat(this.store.last().row().owners()).containsExactly(SECOND);
	}

	@Test
	void expiredOwnerOwnsTheLockUntilAnotherTakesIt() {
		grant(FIRST, LockMode.EXCLUSIVE, SHORT);
		pass(TTL);
		grant(SECOND, LockMode.EXCLUSIVE, TTL);
		assertThat(this.store.last().takes()).isTrue();
		assertThat(this.store.last().row().owners()).containsExactly(SECOND);
	}

	@Test
	void forcedReleaseTakesTheLock() {
		grant(FIRST, LockMode.EXCLUSIVE, TTL);
		this.store.forceRelease(new ForceReleaseCommand(KEY, null)).join();
		assertThat(this.store.last().takes()).isTrue();
		assertThat(this.store.last().row().owners()).isEmpty();
	}

	@Test
	void expiredReaderIsDroppedInPassingByATakingStep() {
		grant(FIRST, LockMode.READ, SHORT);
		grant(SECOND, LockMode.READ, TTL);
		pass(SHORT.multipliedBy(2));
		assertThat(renew(SECOND)).isEqualTo(Ownership.HELD);
		assertThat(this.store.last().takes()).isTrue();
		assertThat(this.store.last().row().owners()).containsExactly(SECOND);
	}

	@Test
	void expiredReaderStaysAnOwnerWhileOneCommits() {
		grant(FIRST, LockMode.READ, SHORT);
		grant(SECOND, LockMode.READ, TTL);
		pass(SHORT.multipliedBy(2));
		this.store.commits = true;
		assertThat(renew(SECOND)).isEqualTo(Ownership.HELD);
		assertThat(this.store.last().row().owners()).containsExactlyInAnyOrder(FIRST, SECOND);
		assertThat(release(SECOND)).isEqualTo(Ownership.HELD);
		assertThat(acquire(THIRD, LockMode.EXCLUSIVE, TTL)).isInstanceOf(AcquireOutcome.Busy.class);
		this.store.commits = false;
		pass(SHORT);
		grant(THIRD, LockMode.EXCLUSIVE, TTL);
	}

	/** Each attempt during the commit began the delay anew. */
	@Test
	void delayThatIsOverDoesNotBeginAnewWhileTheOwnerCommits() {
		this.store.acquire(new AcquireCommand(KEY, FIRST, SHORT, Duration.ZERO, Duration.ZERO).withLockDelay(TTL))
			.join();
		pass(SHORT.plus(TTL).plusSeconds(1));
		this.store.commits = true;
		assertThat(acquire(SECOND, LockMode.EXCLUSIVE, TTL)).isInstanceOf(AcquireOutcome.Busy.class);
		this.store.commits = false;
		pass(SHORT);
		grant(SECOND, LockMode.EXCLUSIVE, TTL);
	}

	/** Each refusal was a deeper call, and the last one an overflow. */
	@Test
	void commandIsRepeatedHoweverOftenOthersAreFaster() {
		this.store.refusals = 20_000;
		grant(FIRST, LockMode.EXCLUSIVE, TTL);
	}

	/** A release was never answered, as no thread had taken it. */
	@Test
	void commandsFailWhenTheStoreCannotRunThem() {
		grant(FIRST, LockMode.EXCLUSIVE, TTL);
		this.store.failure = new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "closed", null);
		RenewCommand renewal = new RenewCommand(KEY, FIRST, TTL);
		RenewCommand other = new RenewCommand(new LockKey("", "b"), FIRST, TTL);
		assertThat(this.store.release(new ReleaseCommand(KEY, FIRST))).isCompletedExceptionally();
		assertThat(this.store.renew(List.of(renewal, other)))
			.allSatisfy((answer) -> assertThat(answer).isCompletedExceptionally());
	}

	@Test
	void leasesOfSeveralLocksAreRenewedTogether() {
		LockKey other = new LockKey("", "b");
		grant(FIRST, LockMode.READ, TTL);
		grant(SECOND, LockMode.READ, TTL);
		this.store.acquire(new AcquireCommand(other, FIRST, TTL, Duration.ZERO, Duration.ZERO)).join();
		pass(SHORT);
		List<CompletableFuture<Ownership>> answers = this.store
			.renew(List.of(new RenewCommand(KEY, FIRST, TTL), new RenewCommand(other, FIRST, TTL),
					new RenewCommand(KEY, SECOND, TTL), new RenewCommand(other, SECOND, TTL)));
		assertThat(answers).extracting(CompletableFuture::join)
			.containsExactly(Ownership.HELD, Ownership.HELD, Ownership.HELD, Ownership.LOST);
		assertThat(this.store.batches).containsExactly(2);
		assertThat(this.store.reads).as("an answer that changes nothing is read").isZero();
	}

	@Test
	void severalLocksAreTakenInOneStepWithoutARead() {
		assertThat(acquireAll(FIRST)).isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(this.store.together).isEqualTo(1);
		assertThat(release(FIRST, ALL)).isEqualTo(Ownership.HELD);
		assertThat(this.store.batches).containsExactly(3);
		assertThat(acquireAll(SECOND)).isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(this.store.reads).isZero();
	}

	@Test
	void severalLocksOfWhichOneIsAnotherStateAreDecidedAgain() {
		LockKey last = ALL.get(2);
		this.store.acquire(new AcquireCommand(last, FIRST, TTL, Duration.ZERO, Duration.ZERO)).join();
		this.store.seen.clear();
		assertThat(acquireAll(SECOND)).isInstanceOfSatisfying(AcquireOutcome.Busy.class,
				(busy) -> assertThat(busy.index()).isEqualTo(2));
		assertThat(this.store.texts).as("none is taken").containsOnlyKeys(last);
		assertThat(this.store.reads).as("the answer has the states").isZero();
	}

	/** The answer that the others have not changed anything relies on them as well. */
	@Test
	void severalLocksAreExpectedAlsoWhereOneDoesNotChange() {
		LockKey last = ALL.get(2);
		this.store.acquire(new AcquireCommand(last, FIRST, TTL, Duration.ZERO, Duration.ZERO)).join();
		this.store.acquire(new AcquireCommand(KEY, THIRD, TTL, Duration.ZERO, Duration.ZERO)).join();
		this.store.seen.remove(KEY);
		assertThat(this.store
			.acquire(new AcquireCommand(ALL, SECOND, LockMode.EXCLUSIVE, 0, null, TTL, Duration.ZERO,
					Duration.ofSeconds(3), 0, false))
			.join()).isInstanceOfSatisfying(AcquireOutcome.Busy.class, (busy) -> assertThat(busy.index()).isZero());
	}

	@Test
	void severalLocksOfWhichOneOwnerCommitsAreNotTaken() {
		grant(FIRST, LockMode.EXCLUSIVE, SHORT);
		pass(SHORT.multipliedBy(2));
		this.store.commits = true;
		assertThat(acquireAll(SECOND)).isInstanceOfSatisfying(AcquireOutcome.Busy.class,
				(busy) -> assertThat(busy.index()).isZero());
		this.store.commits = false;
		pass(SHORT);
		assertThat(acquireAll(SECOND)).isInstanceOf(AcquireOutcome.Granted.class);
	}

	@Test
	void severalLocksThatTheStoreDoesNotTakeTogetherAreRefused() {
		List<LockKey> many = List.of(KEY, new LockKey("", "b"), new LockKey("", "c"), new LockKey("", "d"));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.store.release(new ReleaseCommand(many, FIRST, RenewalMarks.NONE)))
			.withMessageContaining("4 keys");
	}

	private AcquireOutcome acquireAll(RequestId request) {
		return this.store
			.acquire(new AcquireCommand(ALL, request, LockMode.EXCLUSIVE, 0, null, TTL, Duration.ZERO, Duration.ZERO, 0,
					false))
			.join();
	}

	private Ownership release(RequestId request, List<LockKey> keys) {
		return this.store.release(new ReleaseCommand(keys, request, RenewalMarks.NONE)).join();
	}

	/** A map with a clock, beside which owners may commit. */
	private static final class Expecting extends StateLockStore {

		static final Duration WITHIN = Duration.ofMillis(10);

		private final Map<LockKey, String> texts = new HashMap<>();

		/** The states as this instance believes. */
		private final Map<LockKey, Stored> seen = new HashMap<>();

		private final List<Replacement> replacements = new ArrayList<>();

		private final List<Integer> batches = new ArrayList<>();

		private long micros = 1_000_000_000_999L;

		/** How much earlier the expected time is. */
		private long lagMicros;

		private boolean commits;

		/** How many replacements others prevent. */
		private int refusals;

		private @Nullable RuntimeException failure;

		private int reads;

		/**
		 * The number of commands for several locks that have replaced states, or tried.
		 */
		private int together;

		Expecting() {
			super(Duration.ofSeconds(60));
		}

		Replacement last() {
			return this.replacements.get(this.replacements.size() - 1);
		}

		@Override
		protected void run(Runnable command) {
			if (this.failure != null) {
				throw this.failure;
			}
			command.run();
		}

		@Override
		protected Expected expect(LockKey key) {
			Stored stored = this.seen.get(key);
			long time = this.micros - this.lagMicros;
			return (stored != null) ? new Expected(stored.text(), Math.max(time, stored.micros()), WITHIN)
					: new Expected(null, time, WITHIN);
		}

		@Override
		protected CompletableFuture<Stored> read(LockKey key) {
			this.reads++;
			return CompletableFuture.completedFuture(new Stored(this.texts.get(key), this.micros));
		}

		@Override
		protected CompletableFuture<Swap> replace(Replacement replacement) {
			if (this.refusals-- > 0) {
				return CompletableFuture
					.completedFuture(Swap.refused(new Stored(this.texts.get(replacement.key()), this.micros)));
			}
			this.replacements.add(replacement);
			boolean asExpected = isAsExpected(replacement.key(), replacement.expected());
			boolean busy = this.commits && replacement.takes();
			if (asExpected && !busy) {
				this.texts.put(replacement.key(), replacement.row().text());
			}
			Stored stored = see(replacement.key());
			return CompletableFuture
				.completedFuture(!asExpected ? Swap.refused(stored) : busy ? Swap.busy(stored) : Swap.done(stored));
		}

		private boolean isAsExpected(LockKey key, Expected expected) {
			long late = this.micros - expected.micros();
			boolean inTime = expected.within().isZero() || (late >= 0 && late <= expected.within().toNanos() / 1000);
			return inTime && Objects.equals(this.texts.get(key), expected.text());
		}

		private Stored see(LockKey key) {
			Stored stored = new Stored(this.texts.get(key), this.micros);
			this.seen.put(key, stored);
			return stored;
		}

		@Override
		public boolean takesTogether(List<LockKey> keys) {
			return keys.size() <= ALL.size();
		}

		@Override
		protected CompletableFuture<List<Stored>> readTogether(List<LockKey> keys) {
			this.reads++;
			return CompletableFuture.completedFuture(keys.stream().map(this::see).toList());
		}

		@Override
		protected CompletableFuture<List<Swap>> replaceTogether(Map<LockKey, Expected> expected,
				List<Replacement> replacements) {
			this.together++;
			boolean asExpected = expected.entrySet()
				.stream()
				.allMatch((each) -> isAsExpected(each.getKey(), each.getValue()));
			Set<LockKey> committing = replacements.stream()
				.filter((each) -> this.commits && each.takes())
				.map(Replacement::key)
				.collect(Collectors.toSet());
			if (asExpected && committing.isEmpty()) {
				replacements.forEach((each) -> this.texts.put(each.key(), each.row().text()));
				return CompletableFuture
					.completedFuture(expected.keySet().stream().map((key) -> Swap.done(see(key))).toList());
			}
			return CompletableFuture.completedFuture(expected.keySet()
				.stream()
				.map((key) -> (asExpected && committing.contains(key)) ? Swap.busy(see(key)) : Swap.refused(see(key)))
				.toList());
		}

		@Override
		protected List<CompletableFuture<Swap>> replace(List<Replacement> replacements) {
			this.batches.add(replacements.size());
			return super.replace(replacements);
		}

		@Override
		public void start(String instance, WakeUpListener listener) {
		}

		@Override
		public Duration commandTimeout() {
			return Duration.ofSeconds(1);
		}

		@Override
		public void close() {
		}

	}

}
