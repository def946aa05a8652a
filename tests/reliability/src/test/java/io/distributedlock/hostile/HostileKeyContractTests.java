package io.distributedlock.hostile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Every key of the corpus is a lock of its own, on any store. Waiters practically never
 * poll here, so that only a wake-up can end a wait.
 */
@ExtendWith(EngineThreads.class)
abstract class HostileKeyContractTests {

	private static final EngineSettings SETTINGS = EngineSettings.DEFAULTS
		.withPollInterval(EngineSettings.MAX_POLL_INTERVAL)
		.withShutdownGrace(Duration.ZERO);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	/** Polls come between three quarters of the interval and the whole. */
	private static final Duration BEFORE_ANY_POLL = Duration.ofSeconds(10);

	private static final int PORTION = 500;

	private static final int SHORT = 10_000;

	final HostileStore store;

	private final List<HostileName> keys = HostileNames.keys();

	private DefaultLockRegistry here;

	private DefaultLockRegistry there;

	HostileKeyContractTests(HostileStore store) {
		this.store = store;
	}

	@BeforeEach
	void startInstances() {
		this.store.clear();
		this.here = instance();
		this.there = instance();
	}

	private DefaultLockRegistry instance() {
		return new DefaultLockRegistry(this.store.createStore(), LockProfiles.DEFAULTS, SETTINGS, (event) -> {
		});
	}

	/** After each test: no owner, no waiter, no subscription. */
	@AfterEach
	void leakNothing() {
		assertThat(this.store.held()).as("locks with an owner").isZero();
		assertThat(this.store.waitedFor()).as("locks that are waited for").isZero();
		this.here.close();
		this.there.close();
		Awaitility.await().until(this.store::isDeserted);
	}

	@Test
	void everyKeyWhenHeldIsRefusedToOthersAndFreeAfterTheRelease() {
		for (HostileName key : spread()) {
			LockRequest request = key.request().waitFor(Duration.ZERO);
			Lease lease = this.here.acquire(request);
			assertThat(lease.isHeld()).as("held: %s", key).isTrue();
			assertThat(lease.name()).as("name of %s", key).isEqualTo(key.name());
			assertThat(lease.key()).as("key of %s", key).isEqualTo(key.key());
			assertThat(this.there.tryAcquire(request)).as("elsewhere while held: %s", key).isEmpty();
			assertThat(this.here.tryAcquire(request)).as("here while held: %s", key).isEmpty();
			lease.close();
			assertThat(this.store.isHeld(key.lockKey())).as("after the release: %s", key).isFalse();
			Lease next = this.there.acquire(request);
			assertThat(next.fencingToken()).as("token of %s", key).isGreaterThan(lease.fencingToken());
			next.close();
		}
	}

	/** Each with a namespace of the corpus, in turn. */
	private List<HostileName> spread() {
		List<String> namespaces = HostileNames.namespaces();
		List<HostileName> spread = new ArrayList<>(this.keys);
		for (int i = 0; i < this.keys.size(); i++) {
			spread.add(this.keys.get(i).inNamespace(namespaces.get(i % namespaces.size())));
		}
		return spread;
	}

	@Test
	void everyKeyWhenHeldIsExactlyOneKeyOfTheStore() {
		Set<String> expected = new HashSet<>();
		for (HostileName key : this.keys) {
			Lease lease = this.here.acquire(key.request());
			expected.add(key.lockKey().encoded());
			assertThat(this.store.held()).as("held with %s", key).isOne();
			lease.close();
			assertThat(this.store.stored()).as("after %s", key).hasSize(expected.size());
		}
		assertThat(this.store.stored()).isEqualTo(expected);
	}

	@Test
	void everyKeyWhenLockedByItsThreadIsReentrantAndRefusedToOthers() {
		for (HostileName key : this.keys) {
			LeaseLock lock = this.here.getLock(key.key());
			lock.lock();
			assertThat(this.here.getLock(key.key()).tryLock()).as("again: %s", key).isTrue();
			assertThat(this.there.getLock(key.key()).tryLock()).as("elsewhere: %s", key).isFalse();
			lock.unlock();
			assertThat(lock.isHeldByCurrentThread()).as("once more: %s", key).isTrue();
			lock.unlock();
			assertThat(lock.isHeldByCurrentThread()).as("unlocked: %s", key).isFalse();
		}
	}

	/** If two were the same lock, the second one would be busy. */
	@Test
	void locksWhenAllAreHeldAtOnceExcludeOnlyThemselves() {
		List<HostileName> all = everywhere();
		List<Lease> leases = acquireAll(this.here, all);
		assertThat(this.store.held()).isEqualTo(all.size());
		assertThat(leases).allMatch(Lease::isHeld);
		releaseAll(leases);
		assertThat(this.store.held()).isZero();
	}

	/** Each key alone, and in every third namespace. */
	private List<HostileName> everywhere() {
		List<HostileName> all = new ArrayList<>(this.keys);
		List<String> namespaces = HostileNames.namespaces();
		for (int i = 0; i < this.keys.size(); i++) {
			for (int j = 1 + i % 3; j < namespaces.size() && this.keys.get(i).key().length() < SHORT; j += 3) {
				all.add(this.keys.get(i).inNamespace(namespaces.get(j)));
			}
		}
		return all;
	}

	/**
	 * Acquire the locks in portions, so that no command waits behind thousands of others.
	 */
	private static List<Lease> acquireAll(DefaultLockRegistry registry, List<HostileName> locks) {
		List<Lease> leases = new ArrayList<>();
		for (List<HostileName> portion : portions(locks)) {
			List<CompletableFuture<Lease>> attempts = portion.stream()
				.map((lock) -> registry.acquireAsync(lock.request().ttl(Duration.ofMinutes(5)).waitFor(PATIENCE))
					.toCompletableFuture())
				.toList();
			leases.addAll(await(portion, attempts));
		}
		return leases;
	}

	private static List<Lease> await(List<HostileName> locks, List<CompletableFuture<Lease>> attempts) {
		CompletableFuture<Void> all = CompletableFuture.allOf(attempts.toArray(CompletableFuture[]::new));
		assertThat(all).as(() -> "not served: " + unserved(locks, attempts)).succeedsWithin(BEFORE_ANY_POLL);
		return attempts.stream().map(CompletableFuture::join).toList();
	}

	private static List<HostileName> unserved(List<HostileName> locks, List<CompletableFuture<Lease>> attempts) {
		return IntStream.range(0, locks.size())
			.filter((i) -> !attempts.get(i).isDone() || attempts.get(i).isCompletedExceptionally())
			.mapToObj(locks::get)
			.toList();
	}

	private static void releaseAll(List<Lease> leases) {
		for (List<Lease> portion : portions(leases)) {
			CompletableFuture
				.allOf(portion.stream()
					.map((lease) -> lease.release().toCompletableFuture())
					.toArray(CompletableFuture[]::new))
				.orTimeout(20, TimeUnit.SECONDS)
				.join();
		}
	}

	private static <T> List<List<T>> portions(List<T> all) {
		return IntStream.rangeClosed(0, (all.size() - 1) / PORTION)
			.mapToObj((i) -> all.subList(i * PORTION, Math.min(all.size(), (i + 1) * PORTION)))
			.toList();
	}

	@Test
	void everyKeyWhenReleasedWakesTheOneWhoWaitsElsewhere() {
		List<Lease> leases = acquireAll(this.here, this.keys);
		List<CompletableFuture<Lease>> waiting = this.keys.stream()
			.map((key) -> this.there.acquireAsync(key.request().waitFor(Duration.ofMinutes(5))).toCompletableFuture())
			.toList();
		Awaitility.await().until(() -> this.store.waitedFor() == this.keys.size());
		releaseAll(leases);
		releaseAll(await(this.keys, waiting));
	}

	@Test
	void keysWhenTakenTogetherExcludeEachOfThem() {
		LockRequest together = LockRequest.ofAll(this.keys.stream().map(HostileName::key).toList());
		Lease lease = this.here.acquire(together);
		assertThat(lease.keys()).hasSameSizeAs(this.keys);
		assertThat(this.store.held()).isEqualTo(this.keys.size());
		for (HostileName key : this.keys) {
			assertThat(this.there.tryAcquire(key.request().waitFor(Duration.ZERO))).as("elsewhere: %s", key).isEmpty();
		}
		lease.close();
		Lease one = this.there.acquire(this.keys.get(this.keys.size() / 2).request());
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.acquire(together.waitFor(Duration.ZERO)))
			.satisfies((busy) -> assertThat(busy.getKey()).isEqualTo(one.key()));
		assertThat(this.store.held()).as("all or none").isOne();
		one.close();
	}

	@Test
	void blankKeysWhenAskedForAreRefusedAndNothingIsStored() {
		for (String blank : Stream.concat(HostileNames.blank().stream(), Stream.of((String) null)).toList()) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.here.acquire(LockRequest.of(blank)))
				.withMessageContaining("must not be null or blank");
			assertThatIllegalArgumentException().isThrownBy(() -> this.here.acquire(LockRequest.ofAll("a", blank)))
				.withMessageContaining("must not be null or blank");
			assertThatIllegalArgumentException().isThrownBy(() -> this.here.getLock(blank))
				.withMessageContaining("must not be null or blank");
		}
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.ofAll(List.of()))
			.withMessage("A lock needs at least one key");
		assertThatIllegalArgumentException().isThrownBy(LockRequest::ofAll)
			.withMessage("A lock needs at least one key");
		assertThat(this.store.stored()).isEmpty();
	}

	/** The same characters in other places are other locks. */
	@Test
	void pairsWhenTheyLookAlikeAreDifferentLocks() {
		List<HostileName> pairs = Stream.of("a:b", "a%3Ab", "a", ":", "%", "", "a:", "\uD83D", "{a}")
			.flatMap((name) -> Stream.of("b:c", "c", ":c", ":b:c", "3A", "a", "\uDD12", "{b}")
				.map((key) -> new HostileName(name, key, "looks like another pair")))
			.toList();
		List<Lease> leases = acquireAll(this.here, pairs);
		assertThat(this.store.stored())
			.isEqualTo(pairs.stream().map((pair) -> pair.lockKey().encoded()).collect(Collectors.toSet()))
			.hasSameSizeAs(pairs);
		releaseAll(leases);
	}

}
