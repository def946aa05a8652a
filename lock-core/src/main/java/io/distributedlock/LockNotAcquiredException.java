package io.distributedlock;

import java.time.Duration;
import java.util.Optional;

import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/**
 * The lock stayed taken for the whole wait budget. The store was reachable: an outage is
 * a {@link LockStoreException}.
 *
 * @since 0.1.0
 */
public class LockNotAcquiredException extends LockException {

	private final String name;

	private final String key;

	private final @Nullable String holder;

	private final Duration waited;

	/**
	 * Create the exception.
	 * @param key the key that was busy
	 * @param holder the holder, if known
	 * @param waited how long the caller has waited
	 */
	public LockNotAcquiredException(String key, @Nullable String holder, Duration waited) {
		this("", key, holder, waited, null);
	}

	/**
	 * Create the exception.
	 * @param name the namespace of the key, maybe empty
	 * @param key the key that was busy
	 * @param holder the holder, if known
	 * @param waited how long the caller has waited
	 * @param reason the text that replaces the holder in the message, or {@code null}
	 */
	public LockNotAcquiredException(String name, String key, @Nullable String holder, Duration waited,
			@Nullable String reason) {
		super("Lock '%s' was not acquired within %d ms: %s".formatted(DisplayText.lock(name, key), waited.toMillis(),
				(reason != null) ? reason : heldBy(holder)));
		this.name = name;
		this.key = key;
		this.holder = holder;
		this.waited = waited;
	}

	LockNotAcquiredException(String name, String key, String message) {
		super(message);
		this.name = name;
		this.key = key;
		this.holder = null;
		this.waited = Duration.ZERO;
	}

	private static String heldBy(@Nullable String holder) {
		return (holder != null) ? "held by " + holder : "held elsewhere";
	}

	/**
	 * The namespace of the key.
	 * @return the name, maybe empty
	 */
	public String getName() {
		return this.name;
	}

	/**
	 * The key that was busy; of several keys, the one that could not be acquired.
	 * @return the key as the caller wrote it
	 */
	public String getKey() {
		return this.key;
	}

	/**
	 * The holder of the lock, as far as this instance knows.
	 * @return a description for humans
	 */
	public Optional<String> getHolder() {
		return Optional.ofNullable(this.holder);
	}

	/**
	 * The time that the caller has waited.
	 * @return the time from the request to this exception
	 */
	public Duration getWaited() {
		return this.waited;
	}

}
