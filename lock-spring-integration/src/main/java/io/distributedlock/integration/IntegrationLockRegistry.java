package io.distributedlock.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Objects;
import java.util.concurrent.locks.Lock;

import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.WhenLost;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * The registry of Spring Integration on a {@link LockRegistry} of this library, for
 * aggregators, advices and leader election across all instances of an application.
 * Thread-safe and without a cache. Its lock for a key is
 * {@link LockRegistry#getLock(String, String)} for the registry's name and that key.
 * <ul>
 * <li>A lock belongs to the thread that took it and is re-entrant. {@link Lock#unlock()}
 * throws {@link IllegalStateException} on a thread that holds nothing.</li>
 * <li>A lease is renewed until its last {@code unlock()}, unless the profile of the name
 * says otherwise. A ttl is at least {@link LockOptions#MIN_RENEWABLE_TTL}, without
 * renewal {@link LockOptions#MIN_TTL}. That of the profile wins over that of a call.</li>
 * <li>{@code unlock()} throws {@link ConcurrentModificationException} if the lease was
 * lost, unless the policy is {@link WhenLost#IGNORE}.</li>
 * <li>On a thread whose lease was lost, the next {@code tryLock} answers {@code false}
 * without an attempt, so that a leader learns that it leads no more. Later ones, and
 * {@code lock()}, acquire the lock anew.</li>
 * <li>An attempt throws {@link CannotAcquireLockException} if the store is unavailable or
 * misconfigured. {@code lock()} and {@code lockInterruptibly()} wait through an
 * outage.</li>
 * <li>There are no conditions.</li>
 * </ul>
 *
 * @since 0.1.0
 */
public final class IntegrationLockRegistry
		implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

	private final LockRegistry registry;

	private final String name;

	private final Duration ttl;

	private final ThreadHolds holds = new ThreadHolds();

	/**
	 * Create a registry with the configuration of the locks, as far as these
	 * {@linkplain LockRegistry#resolve tell} it.
	 * @param registry the locks
	 * @param name the namespace of the keys, or an empty string for none
	 */
	public IntegrationLockRegistry(LockRegistry registry, String name) {
		this(registry, registry.resolve(LockRequest.of(name, "any")).ttl(), name);
	}

	/**
	 * Create a registry.
	 * @param registry the locks
	 * @param profiles the configuration of the locks; it has the ttl of
	 * {@link #renewLock(Object)}
	 * @param name the namespace of the keys, or an empty string for none; it is the name
	 * of their profile as well
	 */
	public IntegrationLockRegistry(LockRegistry registry, LockProfiles profiles, String name) {
		this(registry, profiles.resolve(name, LockOptions.NONE).ttl(), name);
	}

	private IntegrationLockRegistry(LockRegistry registry, @Nullable Duration ttl, String name) {
		this.registry = registry;
		this.name = name;
		this.ttl = Objects
			.requireNonNull((ttl != null) ? ttl : LockProfiles.DEFAULTS.resolve(name, LockOptions.NONE).ttl());
	}

	/**
	 * The lock for a key. It costs nothing to get it again: the locks of this registry
	 * for keys of the same text are equal, and are one lock.
	 * @param lockKey the key: any object with a {@code toString()} of its own, which must
	 * have the same text in every instance, not blank
	 * @return the lock
	 * @throws IllegalArgumentException if the key has no text of its own, or a blank one
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return lock(lockKey);
	}

	private IntegrationLock lock(Object lockKey) {
		return new IntegrationLock(this.name, this.registry.getLock(this.name, text(lockKey)), this.holds);
	}

	/** The text that {@code Object} makes would be another key in each instance. */
	private static String text(Object lockKey) {
		String text = Objects.requireNonNull(lockKey, "The key of a lock must not be null").toString();
		String type = lockKey.getClass().getName();
		if (text.equals(type + '@' + Integer.toHexString(lockKey.hashCode()))) {
			throw new IllegalArgumentException(
					"A lock key of type %s has no toString() of its own, so it would be another key in each instance: use a String, or a type with a toString()"
						.formatted(type));
		}
		return text;
	}

	/**
	 * Set the lease of a lock that the calling thread holds anew, from now on, with the
	 * configured ttl. Renewed leases need no call.
	 * @param lockKey the key
	 * @throws IllegalStateException if the thread does not hold the lock, or has lost it
	 * @throws LockStoreException if the store did not answer in time, or refused
	 */
	@Override
	public void renewLock(Object lockKey) {
		renewLock(lockKey, this.ttl);
	}

	/**
	 * As {@link #renewLock(Object)}, with another ttl, longer or shorter. Renewals go on
	 * with that ttl.
	 * @param lockKey the key
	 * @param ttl the new lease from now on
	 * @throws IllegalStateException if the thread does not hold the lock, or has lost it
	 * @throws LockStoreException if the store did not answer in time, or refused
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		lock(lockKey).renew(ttl);
	}

	/**
	 * Do nothing: this registry keeps no lock that is not held.
	 * @param age without effect
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	@Override
	public String toString() {
		return "IntegrationLockRegistry[" + this.name + "]";
	}

}
