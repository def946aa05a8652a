package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Threads that are interrupted at random microseconds, wherever they may be: row 23 of
 * the table of faults.
 */
class InterruptIntegrationTests extends InstancesOnServer {

	private static final int ROUNDS = 500;

	private static final Duration PROMPT = Duration.ofMillis(50);

	/** Far from the half minute after which every wait ends by itself. */
	private static final Duration BUSY_MACHINE = Duration.ofSeconds(10);

	private final ExecutorService interrupter = Executors.newSingleThreadExecutor();

	private final Random random = new Random(23);

	private LeakCheck leaks;

	@BeforeEach
	void countWhatIsThere() {
		this.leaks = new LeakCheck(this.admin);
	}

	@AfterEach
	void endInterrupting() {
		Thread.interrupted();
		this.interrupter.shutdownNow();
	}

	/** Row 23: the wait ends promptly with an exception, and nothing is left behind. */
	@ParameterizedTest
	@EnumSource
	void interruptibleWaitEndsAtOnceAndLeavesNothingBehind(WaitPoint point) {
		List<Long> delays = new ArrayList<>();
		Runnable end = point.begin(this.redis, this.admin, this.here, this.there);
		for (int round = 0; round < ROUNDS; round++) {
			String key = point.keys().get(round % point.keys().size());
			CompletableFuture<Long> interrupted = interruptAfter(() -> point.pause(this.random));
			boolean entered = waitInterruptibly(Way.values()[round % Way.values().length], key);
			long now = System.nanoTime();
			long at = interrupted.join();
			assertThat(entered && !point.letsIn()).as("got the lock").isFalse();
			if (!entered) {
				delays.add(now - at);
			}
			Thread.interrupted();
		}
		end.run();
		assertThat(delays).hasSizeGreaterThan(ROUNDS / 20);
		Collections.sort(delays);
		assertThat(Duration.ofNanos(delays.get(delays.size() / 2))).isLessThan(PROMPT);
		assertThat(Duration.ofNanos(delays.get(delays.size() - 1))).isLessThan(BUSY_MACHINE);
		this.leaks.assertNothingLeft(this.there, point.keys());
	}

	/** Row 23: {@code lock()} goes on to wait and restores the flag. */
	@ParameterizedTest
	@EnumSource(names = { "LOCAL_QUEUE", "ELSEWHERE" })
	void lockGoesOnWaitingAndRestoresTheFlag(WaitPoint point) {
		LeaseLock lock = this.here.getLock("held");
		DefaultLockRegistry holder = (point == WaitPoint.LOCAL_QUEUE) ? this.here : this.there;
		for (int round = 0; round < ROUNDS / 2; round++) {
			Lease held = holder.acquire(LockRequest.of("held").ttl(Duration.ofSeconds(60)));
			CompletableFuture<Void> released = interruptAfter(() -> point.pause(this.random))
				.thenRunAsync(() -> held.release().toCompletableFuture().join(), this.interrupter);
			lock.lock();
			assertThat(Thread.interrupted()).as("the flag").isTrue();
			assertThat(lock.isHeldByCurrentThread()).isTrue();
			lock.unlock();
			released.join();
		}
		this.leaks.assertNothingLeft(this.there, List.of("held"));
	}

	/** Row 23: {@code unlock()} is not interruptible and keeps the flag. */
	@Test
	void unlockReleasesAllTheSameAndKeepsTheFlag() {
		LeaseLock lock = this.here.getLock("a");
		for (int round = 0; round < ROUNDS; round++) {
			assertThat(SingleTry.<Boolean>answer(lock::tryLock)).as("free at once").isTrue();
			CompletableFuture<Long> interrupted = interruptAfter(() -> WaitPoint.FREE.pause(this.random));
			if (round % 2 == 0) {
				// This gives the interrupt time to come first.
				WaitPoint.FREE.pause(new Random(round));
			}
			lock.unlock();
			interrupted.join();
			assertThat(Thread.interrupted()).as("the flag").isTrue();
			SingleTry.answer(() -> this.there.acquire(LockRequest.of("a").waitFor(Duration.ZERO))).close();
		}
		this.leaks.assertNothingLeft(this.there, List.of("a"));
	}

	/** Row 23: a thread that comes interrupted does not even ask the server. */
	@Test
	void interruptBeforeTheCallEndsItWithoutACommand() {
		this.here.acquire(LockRequest.of("a")).close();
		String before = scriptCalls();
		for (Way way : Way.values()) {
			Thread.currentThread().interrupt();
			assertThat(waitInterruptibly(way, "a")).isFalse();
			Thread.interrupted();
		}
		assertThat(scriptCalls()).isEqualTo(before);
	}

	/** Row 23: an interrupt of a try that does not wait changes nothing but the flag. */
	@Test
	void tryLockWithoutWaitIsNotInterruptible() {
		LeaseLock lock = this.here.getLock("a");
		Thread.currentThread().interrupt();
		assertThat(SingleTry.<Boolean>answer(lock::tryLock)).isTrue();
		lock.unlock();
		assertThat(Thread.interrupted()).isTrue();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> {
			Thread.currentThread().interrupt();
			lock.tryLock(Duration.ZERO);
		});
	}

	private CompletableFuture<Long> interruptAfter(Runnable pause) {
		Thread waiting = Thread.currentThread();
		return CompletableFuture.supplyAsync(() -> {
			pause.run();
			long at = System.nanoTime();
			waiting.interrupt();
			return at;
		}, this.interrupter);
	}

	/**
	 * Return whether the lock was acquired and released, before or after the interrupt.
	 */
	private boolean waitInterruptibly(Way way, String key) {
		try {
			way.enterAndLeave(this.here, key);
			return true;
		}
		catch (InterruptedException ex) {
			assertThat(way).isNotEqualTo(Way.ACQUIRE);
			return false;
		}
		catch (LockInterruptedException ex) {
			assertThat(way).isEqualTo(Way.ACQUIRE);
			assertThat(Thread.currentThread().isInterrupted()).as("the flag").isTrue();
			return false;
		}
	}

	private String scriptCalls() {
		return this.admin.info("commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_evalsha:"))
			.map((line) -> line.substring(0, line.indexOf(',')))
			.findAny()
			.orElse("");
	}

	/** The waits that an interrupt ends. */
	private enum Way {

		LOCK_INTERRUPTIBLY {
			@Override
			void enterAndLeave(DefaultLockRegistry registry, String key) throws InterruptedException {
				LeaseLock lock = registry.getLock(key);
				lock.lockInterruptibly();
				lock.unlock();
			}
		},

		TRY_LOCK {
			@Override
			void enterAndLeave(DefaultLockRegistry registry, String key) throws InterruptedException {
				LeaseLock lock = registry.getLock(key);
				if (!lock.tryLock(Duration.ofSeconds(30), WaitPoint.TTL)) {
					throw new AssertionError("Waited for 30 s");
				}
				lock.unlock();
			}
		},

		TRY_LOCK_WITH_UNIT {
			@Override
			void enterAndLeave(DefaultLockRegistry registry, String key) throws InterruptedException {
				LeaseLock lock = registry.getLock(key);
				if (!lock.tryLock(30, TimeUnit.SECONDS)) {
					throw new AssertionError("Waited for 30 s");
				}
				lock.unlock();
			}
		},

		ACQUIRE {
			@Override
			void enterAndLeave(DefaultLockRegistry registry, String key) {
				registry.acquire(LockRequest.of(key).ttl(WaitPoint.TTL).waitFor(Duration.ofSeconds(30))).close();
			}
		};

		abstract void enterAndLeave(DefaultLockRegistry registry, String key) throws InterruptedException;

	}

}
