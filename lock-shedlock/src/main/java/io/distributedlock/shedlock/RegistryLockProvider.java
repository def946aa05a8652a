package io.distributedlock.shedlock;

import java.util.Objects;
import java.util.Optional;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.WhenLost;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * A lock provider of ShedLock on the locks of a {@link LockRegistry}. The lock
 * {@code report} of ShedLock is the key {@code report} with the name {@code shedlock}
 * here, so {@code @DistributedLock(name = "shedlock", key = "'report'")} excludes it, and
 * the profile {@code distributed-lock.locks.shedlock.*} overrides the settings of all
 * locks of ShedLock. Thread-safe.
 * <p>
 * {@code lockAtMostFor} is the ttl of a lease that is not renewed, and
 * {@code lockAtLeastFor} its {@code keepFor}, both in the time of the store. A job that
 * runs longer than {@code lockAtMostFor} loses its lock. An event and a warning in the
 * log report that; {@code extend} is empty then, and {@code unlock} does nothing. With
 * {@code distributed-lock.locks.shedlock.when-lost=throw} that {@code unlock} throws a
 * {@link io.distributedlock.LockLostException}, which replaces an exception of the job.
 * In an outage {@code unlock} does not fail: the release is tried again in the background
 * until {@code lockAtMostFor} is over.
 * <p>
 * Differences from ShedLock's own provider for Redis:
 * <ul>
 * <li><strong>The two do not exclude each other</strong>, since the keys are others.
 * While both are in use, as during a rollout, a job may run twice at once.</li>
 * <li>Only the holder releases or extends a lock, as with ShedLock's
 * {@code safeUpdate}.</li>
 * <li>The prefix of the keys is that of the registry's store, by default {@code lock:}.
 * There is no environment: two applications with equal names of jobs on one Redis need
 * different prefixes.</li>
 * <li>{@code lockAtMostFor} is between 10 ms and 365 days.</li>
 * <li>Failures are exceptions of this library, not ShedLock's.</li>
 * </ul>
 *
 * @since 0.1.0
 */
public final class RegistryLockProvider implements ExtensibleLockProvider {

	private static final String NAME = "shedlock";

	private final LockRegistry registry;

	/**
	 * Create a provider.
	 * @param registry the registry of the locks; not closed with this provider
	 */
	public RegistryLockProvider(LockRegistry registry) {
		this.registry = Objects.requireNonNull(registry, "The registry must not be null");
	}

	/**
	 * Try once to take a lock, without waiting. Not re-entrant: a lock is taken for its
	 * own holder as well, also on the same thread.
	 * @param configuration the lock and its durations
	 * @return the lock, to be unlocked, or empty if it is held or kept, or the registry
	 * is closed
	 * @throws LockStoreException if the store is unavailable or misconfigured; the lock
	 * is not busy then
	 * @throws InvalidSettingException if {@code lockAtMostFor} is shorter than 10 ms or
	 * longer than 365 days
	 * @throws LockException if the thread was interrupted, or answers of the store come
	 * on the calling thread
	 */
	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		// Without an owner, so that no request enters the lock again.
		LockRequest request = LockRequest.of(NAME, configuration.getName())
			.ttl(configuration.getLockAtMostFor())
			.keepFor(configuration.getLockAtLeastFor())
			.renew(false)
			.whenLost(WhenLost.IGNORE);
		return this.registry.tryAcquire(request).map((lease) -> new LeaseSimpleLock(lease, configuration));
	}

}
