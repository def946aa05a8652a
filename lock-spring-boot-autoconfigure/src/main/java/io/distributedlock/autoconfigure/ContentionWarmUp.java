package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.Lease;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.DaemonThreadFactory;
import io.distributedlock.text.LockLog;

/**
 * Waits in vain for a lock in memory, and then until it is free, on a thread of its own,
 * once in a process. That loads the classes of a wait and of its end, which made the
 * first contended call of the application later than its budget.
 */
final class ContentionWarmUp {

	private static final LockLog logger = LockLog.of(ContentionWarmUp.class);

	private static final AtomicBoolean STARTED = new AtomicBoolean();

	/** Closing waits for the last release, and so reports no loss. */
	private static final EngineSettings PATIENT = EngineSettings.DEFAULTS.withShutdownGrace(LockOptions.MAX_TTL);

	private static final EngineSettings HASTY = PATIENT.withPollInterval(Duration.ofMillis(5));

	private ContentionWarmUp() {
	}

	static void start() {
		if (STARTED.compareAndSet(false, true)) {
			new DaemonThreadFactory("distributed-lock-warm-up-").newThread(() -> run(new MemoryLocks())).start();
		}
	}

	static void run(MemoryLocks locks) {
		try (DefaultLockRegistry patient = registry(locks, PATIENT);
				DefaultLockRegistry hasty = registry(locks, HASTY)) {
			// An instance that has a name learns that of a holder.
			hasty.announce("warm-up");
			// Long enough to poll also while classes are loaded on a busy machine.
			LockRequest request = request("warm-up").waitFor(Duration.ofMillis(100));
			try (Lease ignored = patient.acquire(request)) {
				hasty.tryAcquire(request);
			}
			awaitRelease(hasty, patient, request);
			// A request for a permit is woken, and not given one.
			awaitRelease(hasty, patient, request("warm-up-permit").permits(1));
		}
		catch (RuntimeException ex) {
			logger.debug("The first contended lock may be a little late", ex);
		}
	}

	/**
	 * Its lease outlives any pause of the process, after which a loss would be logged.
	 */
	private static LockRequest request(String key) {
		return LockRequest.of(key).ttl(LockOptions.MAX_TTL).renew(false);
	}

	/**
	 * The waiter polls late enough to be woken also where this thread is held up between
	 * the two calls.
	 */
	private static void awaitRelease(DefaultLockRegistry holder, DefaultLockRegistry waiter, LockRequest request) {
		CompletionStage<Lease> next;
		try (Lease ignored = holder.acquire(request)) {
			next = waiter.acquireAsync(request.waitFor(Duration.ofSeconds(1)));
		}
		next.toCompletableFuture().join().close();
	}

	private static DefaultLockRegistry registry(MemoryLocks locks, EngineSettings settings) {
		return new DefaultLockRegistry(new MemoryLockStore(locks), LockProfiles.DEFAULTS, settings, (event) -> {
		});
	}

}
