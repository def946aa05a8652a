package io.distributedlock.engine;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import com.example.ForgetfulShop;
import io.distributedlock.CapturedLog;
import io.distributedlock.HeldLock;
import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LossReason;
import io.distributedlock.Patience;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.lease.LeakTracker;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases that are never closed. Those of real registries are collected indeed; those of
 * the engine without threads are enqueued by the test, in place of the collector.
 */
@ExtendWith(CapturedLog.Extension.class)
class LeakDetectorTests {

	/**
	 * A ttl so short that a lock is renewed, and leaks are looked for, several times a
	 * second.
	 */
	private static final LockRequest REQUEST = LockRequest.of("7").name("stock").ttl(Duration.ofSeconds(5));

	private static final EngineSettings WATCHING = EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO)
		.withLeakDetection(LeakDetection.ALL);

	private static final String PLACE = "com.example.Orders.ship(Orders.java:42)";

	private final DefaultLockRegistry registry = registry(new MemoryLockStore());

	private final ForgetfulShop shop = new ForgetfulShop(this.registry);

	private final ManualInstance instance = ManualInstance.with(WATCHING);

	private static DefaultLockRegistry registry(LockStore store) {
		return new DefaultLockRegistry(store, LockProfiles.DEFAULTS, WATCHING, null);
	}

	@AfterEach
	void close() {
		this.registry.close();
	}

	private static void awaitLeaks(DefaultLockRegistry registry, int count) {
		Patience.await().until(() -> {
			System.gc();
			return registry.statistics().leaked() == count;
		});
	}

	private static List<String> warnings(CapturedLog log) {
		return log.toString().lines().filter((line) -> line.startsWith(" WARN ")).toList();
	}

	/** A lease on its way to a caller, as a registry makes it. */
	private Lease acquire(LockRequest request, String place) {
		return this.instance.engine.leaks.tracked(this.instance.acquire(request).join(), place);
	}

	private Lease acquire(String key) {
		return acquire(LockRequest.of(key), PLACE);
	}

	/** Do the work of the garbage collector for the leases held at this moment. */
	private List<LeakTracker> collect() {
		List<LeakTracker> trackers = this.instance.engine.queues.index.all()
			.stream()
			.flatMap((queue) -> queue.allHeld().stream())
			.map(LeakTracker::of)
			.filter(Objects::nonNull)
			.toList();
		trackers.forEach(LeakTracker::enqueue);
		return trackers;
	}

	private long found() {
		this.instance.engine.leaks.find();
		return this.instance.engine.instance.counters.leaked.sum();
	}

	@ParameterizedTest
	@EnumSource
	void leaseThatIsForgottenIsFoundAndItsLockStaysTaken(Way way, CapturedLog log) {
		way.take(this.shop);
		awaitLeaks(this.registry, 1);
		assertThat(warnings(log)).singleElement()
			.asString()
			.contains("Lock 'stock:", "was acquired at com.example.ForgetfulShop.", "was never closed",
					"is renewed as long as this process runs");
		HeldLock held = this.registry.held().get(0);
		assertThat(held.leaked()).isTrue();
		assertThat(held.origin()).startsWith("com.example.ForgetfulShop.");
		assertThat(held.remaining()).isPositive();
	}

	@Test
	void leaseOfKeysThatWereTakenOneByOneIsFoundOnce(CapturedLog log) {
		LockStore poor = new ScriptedStore(new MemoryLocks(),
				EnumSet.complementOf(EnumSet.of(StoreCapability.KEY_SETS, StoreCapability.CALLER_THREAD)));
		try (DefaultLockRegistry divided = registry(poor)) {
			new ForgetfulShop(divided).sellIfFree(LockRequest.ofAll("7", "8").ttl(Duration.ofSeconds(5)));
			awaitLeaks(divided, 1);
			assertThat(warnings(log)).hasSize(1);
			assertThat(divided.held()).hasSize(2).allMatch(HeldLock::leaked);
		}
	}

	/** The first frame may be a layer that all locks come through. */
	@Test
	void placeIsTheInnermostFramesOfTheApplication() {
		this.shop.sell(REQUEST);
		assertThat(this.registry.held().get(0).origin())
			.matches("com\\.example\\.ForgetfulShop\\.take\\(ForgetfulShop\\.java:\\d+\\), "
					+ "from com\\.example\\.ForgetfulShop\\.sell\\(ForgetfulShop\\.java:\\d+\\).*");
	}

	@Test
	void leaseThatWasClosedIsNone() {
		Lease lease = acquire("a");
		LeakTracker tracker = collect().get(0);
		lease.close();
		assertThat(found()).isZero();
		assertThat(tracker.isLeaked()).isFalse();
	}

	@Test
	void leaseWhoseReleaseIsUnderWayIsNone() {
		Lease lease = acquire("a");
		ScriptedStore.Held release = this.instance.store.hold(Command.RELEASE);
		collect();
		lease.release();
		assertThat(found()).isZero();
		release.answer();
	}

	/** Its grant was kept until the engine had anything to do again. */
	@Test
	void leaseThatIsCollectedDuringItsReleaseLeavesNothing() {
		ScriptedStore.Held release = this.instance.store.hold(Command.RELEASE);
		AtomicReference<Grant> grant = new AtomicReference<>();
		WeakReference<Lease> lease = released(grant);
		WeakReference<Grant> left = new WeakReference<>(grant.getAndSet(null));
		awaitCollected(lease);
		release.answer();
		awaitCollected(left);
	}

	private WeakReference<Lease> released(AtomicReference<Grant> grant) {
		Lease lease = acquire("a");
		grant.set(((GrantLease) lease).hold.grant);
		lease.release();
		return new WeakReference<>(lease);
	}

	private static void awaitCollected(WeakReference<?> reference) {
		Patience.await().until(() -> {
			System.gc();
			return reference.get() == null;
		});
	}

	@Test
	void leaseThatWasLostIsNone() {
		acquire("a");
		collect();
		this.instance.engine.loseAll(LossReason.NOT_OWNER);
		assertThat(found()).isZero();
	}

	@Test
	void leaseOfARegistryThatWasClosedIsNone(CapturedLog log) {
		acquire("a");
		collect();
		this.instance.engine.loseAll(LossReason.SHUTDOWN);
		this.instance.engine.stop();
		this.instance.runDue();
		assertThat(found()).isZero();
		assertThat(warnings(log)).singleElement().asString().contains("was lost");
	}

	@Test
	void leaseInsideAnotherIsFoundWhileThatIsHeld() {
		LockRequest owned = LockRequest.of("a").ownedBy("till 1");
		Lease outer = acquire(owned, "outer");
		acquire(owned, "inner");
		List<Hold> holds = this.instance.engine.queues.index.all().iterator().next().allHeld().get(0).allHolds();
		Objects.requireNonNull(holds.get(0).tracker()).enqueue();
		assertThat(found()).isOne();
		assertThat(LeakTracker.of(holds.get(0).grant).place()).isEqualTo("inner");
		outer.close();
		assertThat(this.instance.engine.instance.heldCount()).isOne();
	}

	@Test
	void placeIsToldOnceAndEachLeaseIsCounted(CapturedLog log) {
		IntStream.range(0, 100).forEach((i) -> acquire("a" + i));
		acquire(LockRequest.of("b"), "elsewhere");
		collect();
		assertThat(found()).isEqualTo(101);
		assertThat(warnings(log)).hasSize(2)
			.satisfiesOnlyOnce((line) -> assertThat(line).contains(PLACE))
			.satisfiesOnlyOnce((line) -> assertThat(line).contains("at elsewhere"));
		collect();
		acquire("c");
		collect();
		assertThat(found()).isEqualTo(102);
		assertThat(warnings(log)).hasSize(2);
	}

	@Test
	void warningSaysWhatBecomesOfTheLock(CapturedLog log) {
		acquire(LockRequest.of("a").renew(false), "one");
		acquire(LockRequest.of("b").maxHold(Duration.ofHours(1)), "two");
		acquire(LockRequest.of("c"), "");
		this.instance.advance(Duration.ofMillis(1500));
		collect();
		found();
		assertThat(warnings(log)).hasSize(3)
			.allSatisfy((line) -> assertThat(line).contains("1500 ms ago").doesNotContain("leak-detection=all"))
			.satisfiesOnlyOnce((line) -> assertThat(line).contains("Lock 'a'", "until its ttl is over"))
			.satisfiesOnlyOnce((line) -> assertThat(line).contains("Lock 'b'", "until its maxHold of PT1H is over"))
			.satisfiesOnlyOnce((line) -> assertThat(line).contains("Lock 'c'", "outside the code of the application"));
	}

	@Test
	void warningOfASampleSaysHowToWatchEach(CapturedLog log) {
		ManualInstance sampled = new ManualInstance();
		Lease lease = sampled.engine.leaks.tracked(sampled.acquire(REQUEST).join(), PLACE);
		sampled.engine.queues.index.all().forEach((queue) -> LeakTracker.of(queue.allHeld().get(0)).enqueue());
		sampled.engine.leaks.find();
		assertThat(warnings(log)).singleElement().asString().contains("distributed-lock.leak-detection=all");
		assertThat(lease.isHeld()).isTrue();
	}

	/** It was found by the tick of a renewal, whose other locks must not pay. */
	@Test
	void logThatFailsHarmsNoLock() {
		Lease other = acquire("b");
		acquire("a");
		collect();
		Logger logger = (Logger) LoggerFactory.getLogger(LeakDetector.class);
		TurboFilter failing = new TurboFilter() {
			@Override
			public FilterReply decide(Marker marker, Logger asked, Level level, String format, Object[] params,
					Throwable ex) {
				if (asked == logger) {
					throw new IllegalStateException("The disk is full");
				}
				return FilterReply.NEUTRAL;
			}
		};
		logger.getLoggerContext().addTurboFilter(failing);
		try {
			this.instance.advance(Duration.ofMinutes(5));
		}
		finally {
			logger.getLoggerContext().resetTurboFilterList();
		}
		assertThat(found()).isEqualTo(2);
		assertThat(other.isHeld()).isTrue();
	}

	/** The thread may unlock as long as it lives. After that its lock is lost. */
	@Test
	void lockOfAThreadThatHasEndedIsLostAndThatNamesThePlace(CapturedLog log) throws InterruptedException {
		Thread thread = new Thread(() -> this.shop.sellWhatTheThreadOwns("7"));
		thread.start();
		thread.join();
		Patience.await().until(() -> !warnings(log).isEmpty());
		assertThat(warnings(log)).singleElement()
			.asString()
			.contains("was lost", "acquired at com.example.ForgetfulShop.sellWhatTheThreadOwns");
		assertThat(this.registry.statistics().lost(LossReason.OWNER_ENDED)).isOne();
	}

	@Test
	void leaseOfAThreadThatHasEndedIsLeftToItsLoss() throws InterruptedException {
		Thread thread = new Thread(() -> acquire(LockRequest.of("a").ownedByCurrentThread(), PLACE));
		thread.start();
		thread.join();
		assertThat(collect()).hasSize(1);
		assertThat(found()).isZero();
	}

	@Test
	void lockThatIsHeldToTheEndOfItsMaxHoldNamesThePlace(CapturedLog log) {
		acquire(LockRequest.of("a").ttl(Duration.ofSeconds(3)).maxHold(Duration.ofSeconds(6)), PLACE);
		this.instance.advance(Duration.ofSeconds(10));
		assertThat(warnings(log)).singleElement().asString().contains("was lost", ", acquired at " + PLACE + ")");
	}

	@Test
	void leaseOfATemplateIsNotWatched() {
		new LockTemplate(this.registry).execute(REQUEST, (lease) -> {
			assertThat(this.registry.held()).singleElement().matches((held) -> held.origin() == null);
			return true;
		});
	}

	@Test
	void firstAcquisitionsAreWatchedAndThenOneInMany() {
		LeakDetector sampled = new ManualInstance().engine.leaks;
		assertThat(samples(sampled, 128)).isEqualTo(128);
		assertThat(samples(sampled, 12_800)).isBetween(1L, 1_000L);
	}

	@Test
	void noneIsWatchedWhereDetectionIsDisabled() {
		LeakDetector disabled = ManualInstance.with(WATCHING.withLeakDetection(LeakDetection.DISABLED)).engine.leaks;
		assertThat(samples(disabled, 1_000)).isZero();
	}

	private static long samples(LeakDetector detector, int calls) {
		return Stream.generate(detector::sample).limit(calls).filter(Objects::nonNull).count();
	}

	/** How the application comes to a lease that it forgets. */
	enum Way {

		ACQUIRE {
			@Override
			void take(ForgetfulShop shop) {
				shop.sell(REQUEST);
			}
		},

		TRY_ACQUIRE {
			@Override
			void take(ForgetfulShop shop) {
				shop.sellIfFree(REQUEST);
			}
		},

		ASYNC {
			@Override
			void take(ForgetfulShop shop) {
				shop.sellLater(REQUEST);
			}
		},

		INSIDE_ANOTHER {
			@Override
			void take(ForgetfulShop shop) {
				shop.sellAgain(REQUEST);
			}
		},

		SEVERAL_KEYS {
			@Override
			void take(ForgetfulShop shop) {
				shop.sell(LockRequest.ofAll("7", "8").name("stock").ttl(Duration.ofSeconds(5)));
			}
		};

		abstract void take(ForgetfulShop shop);

	}

}
