package io.distributedlock.event;

import java.time.Duration;

import io.distributedlock.LockMode;
import io.distributedlock.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * An event of a lock on this instance.
 *
 * @since 0.1.0
 */
public sealed interface LockEvent {

	/**
	 * The namespace of the lock.
	 * @return the name, maybe empty
	 */
	String name();

	/**
	 * The key of the lock.
	 * @return the key as the caller wrote it
	 */
	String key();

	/**
	 * The kind of the lock.
	 * @return the mode
	 */
	LockMode mode();

	/**
	 * A lock was acquired.
	 *
	 * @param name the namespace
	 * @param key the key
	 * @param mode the kind of lock
	 * @param fencingToken the token
	 * @param waited the time from the request to the acquisition
	 * @param from the source of the lock
	 */
	record Acquired(String name, String key, LockMode mode, long fencingToken, Duration waited,
			AcquiredFrom from) implements LockEvent {
	}

	/**
	 * A lock was released by its holder.
	 *
	 * @param name the namespace
	 * @param key the key
	 * @param mode the kind of lock
	 * @param fencingToken the token
	 * @param held the time from the acquisition to the release
	 */
	record Released(String name, String key, LockMode mode, long fencingToken, Duration held) implements LockEvent {
	}

	/**
	 * A lock stayed taken for the whole budget of a caller.
	 *
	 * @param name the namespace
	 * @param key the key
	 * @param mode the kind of lock
	 * @param waited the time the caller has waited
	 */
	record Busy(String name, String key, LockMode mode, Duration waited) implements LockEvent {
	}

	/**
	 * A lease ended before its holder released it. Published exactly once for each key of
	 * the lease.
	 *
	 * @param name the namespace
	 * @param key the key
	 * @param mode the kind of lock
	 * @param fencingToken the token
	 * @param reason the reason for the loss
	 * @param held the time from the acquisition to the loss
	 * @param cause the failure of the last renewal, or {@code null} if that did not cause
	 * the loss
	 */
	record Lost(String name, String key, LockMode mode, long fencingToken, LossReason reason, Duration held,
			@Nullable Throwable cause) implements LockEvent {
	}

	/**
	 * A renewal was not confirmed. It is tried again until the lease runs out.
	 *
	 * @param name the namespace
	 * @param key the key
	 * @param mode the kind of lock
	 * @param fencingToken the token
	 * @param cause the failure of the store
	 */
	record RenewalFailed(String name, String key, LockMode mode, long fencingToken,
			Throwable cause) implements LockEvent {
	}

	/**
	 * A renewal was not confirmed, and less than half of the lease is left: an early
	 * warning. Published once, and again after a renewal was confirmed in between.
	 *
	 * @param name the namespace
	 * @param key the key
	 * @param mode the kind of lock
	 * @param fencingToken the token
	 * @param remaining how long the lease lasts if no renewal is confirmed
	 * @param cause the failure of the store
	 */
	record Endangered(String name, String key, LockMode mode, long fencingToken, Duration remaining,
			Throwable cause) implements LockEvent {
	}

	/**
	 * A release was not confirmed. It is tried again until the lease runs out.
	 *
	 * @param name the namespace
	 * @param key the key
	 * @param mode the kind of lock
	 * @param fencingToken the token
	 * @param cause the failure of the store
	 */
	record ReleaseFailed(String name, String key, LockMode mode, long fencingToken,
			Throwable cause) implements LockEvent {
	}

	/**
	 * A guarded method ran without its lock because the store could not be reached and
	 * the method is declared to proceed.
	 *
	 * @param name the namespace
	 * @param key the key
	 * @param mode the kind of lock
	 * @param cause the failure of the store
	 */
	record Unprotected(String name, String key, LockMode mode, Throwable cause) implements LockEvent {
	}

}
