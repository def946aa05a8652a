package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The leases that one thread holds through several locks, closed in any order. */
class ThreadLeasesTests {

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(),
			new LockProfiles(LockOptions.NONE, Map.of()),
			EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO).withLeakDetection(LeakDetection.DISABLED), null);

	@AfterEach
	void close() {
		this.registry.close();
	}

	@Test
	void unlockInAnyOrderEndsTheLeaseOfThatLockOnly() {
		List<LeaseLock> open = new ArrayList<>(
				IntStream.range(0, 40).mapToObj((i) -> this.registry.getLock("key" + i)).toList());
		open.forEach(LeaseLock::lock);
		Collections.shuffle(open, new Random(7));
		while (!open.isEmpty()) {
			LeaseLock next = open.remove(0);
			next.unlock();
			assertThat(next.isHeldByCurrentThread()).as(next.key()).isFalse();
			assertThat(open).allMatch(LeaseLock::isHeldByCurrentThread);
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(next::unlock);
		}
	}

	@Test
	void unlockOfALockEnteredTwiceEndsTheInnerLeaseFirst() {
		LeaseLock lock = this.registry.getLock("a");
		LeaseLock other = this.registry.getLock("b");
		lock.lock();
		Lease outer = lock.lease();
		other.lock();
		lock.lock();
		assertThat(lock.lease()).isNotSameAs(outer);
		this.registry.getLock("a").unlock();
		assertThat(lock.lease()).isSameAs(outer);
		lock.unlock();
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThat(other.isHeldByCurrentThread()).isTrue();
		other.unlock();
	}

	@Test
	void unlockOnAnotherThreadIsRefused() {
		LeaseLock lock = this.registry.getLock("a");
		lock.lock();
		CompletableFuture<Void> elsewhere = CompletableFuture.runAsync(lock::unlock);
		assertThat(elsewhere).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(IllegalMonitorStateException.class);
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		lock.unlock();
	}

}
