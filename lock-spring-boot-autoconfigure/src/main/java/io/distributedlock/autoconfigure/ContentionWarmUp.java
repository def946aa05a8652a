package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.DaemonThreadFactory;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Waits in vain for a lock in memory, and then until it is free, on a thread of its own,
 * once in a process. That loads the classes of a wait and of its end, which made the
 * first contended call of the application later than its budget.
 */
final class ContentionWarmUp {

	private static final Log logger = LogFactory.getLog(ContentionWarmUp.class);

	private static final AtomicBoolean STARTED = new AtomicBoolean();

	private static final EngineSettings SETTINGS = EngineSettings.DEFAULTS.withPollInterval(Duration.ofMillis(5))
		.withShutdownGrace(Duration.ZERO);

	private ContentionWarmUp() {
	}

	static void start() {
		if (STARTED.compareAndSet(false, true)) {
			new DaemonThreadFactory("distributed-lock-warm-up-").newThread(ContentionWarmUp::run).start();
		}
	}

	private static void run() {
		MemoryLocks locks = new MemoryLocks();
		try (DefaultLockRegistry holder = registry(locks); DefaultLockRegistry waiter = registry(locks)) {
			LockRequest request = LockRequest.of("warm-up").waitFor(Duration.ofMillis(20));
			CompletionStage<Lease> next;
			try (Lease ignored = holder.acquire(request)) {
				waiter.tryAcquire(request);
				next = waiter.acquireAsync(request.waitFor(Duration.ofSeconds(1)));
			}
			next.toCompletableFuture().join().close();
		}
		catch (RuntimeException ex) {
			logger.debug("The first contended lock may be a little late", ex);
		}
	}

	private static DefaultLockRegistry registry(MemoryLocks locks) {
		return new DefaultLockRegistry(new MemoryLockStore(locks), LockProfiles.DEFAULTS, SETTINGS, (event) -> {
		});
	}

}
