package io.distributedlock.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks of virtual threads where the JDK has them, of platform threads before.
 */
class VirtualThreadIntegrationTests {

	private static final int THREADS = 200;

	private static final String KEY = "virtual";

	@Test
	void manyThreadsExcludeEachOtherAndAreNotPinned(@TempDir Path directory) throws Exception {
		try (Recording recording = new Recording();
				DefaultLockRegistry registry = new DefaultLockRegistry(new RedisLockStore(
						SharedRedis.factory(DriverUnderTest.LETTUCE), RedisStoreSettings.DEFAULTS))) {
			// A thread that waits until a class is initialized is pinned as well.
			lockOnManyThreads(registry);
			recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ofMillis(1)).withStackTrace();
			recording.start();
			lockOnManyThreads(registry);
			recording.stop();
			assertThat(pinnedByUs(recording, directory.resolve("pinned.jfr"))).isEmpty();
		}
	}

	private static void lockOnManyThreads(DefaultLockRegistry registry) throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger entered = new AtomicInteger();
		ExecutorService threads = threadPerTask();
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			all.add(threads.submit(() -> {
				try (Lease lease = registry
					.acquire(LockRequest.of(KEY).waitFor(Duration.ofSeconds(40)).ownedByCurrentThread())) {
					assertThat(inside.incrementAndGet()).isEqualTo(1);
					assertThat(lease.isHeld()).isTrue();
					entered.incrementAndGet();
					inside.decrementAndGet();
				}
			}));
		}
		for (Future<?> one : all) {
			one.get();
		}
		threads.shutdown();
		assertThat(entered).hasValue(THREADS);
	}

	private static ExecutorService threadPerTask() throws ReflectiveOperationException {
		if (Runtime.version().feature() >= 21) {
			return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
		}
		return Executors.newCachedThreadPool();
	}

	private static List<RecordedEvent> pinnedByUs(Recording recording, Path file) throws Exception {
		recording.dump(file);
		return RecordingFile.readAllEvents(file)
			.stream()
			.filter((event) -> event.getStackTrace() != null && event.getStackTrace()
				.getFrames()
				.stream()
				.anyMatch((frame) -> frame.getMethod().getType().getName().startsWith("io.distributedlock.engine")))
			.toList();
	}

}
