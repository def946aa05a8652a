package io.distributedlock.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * A server of a store, as it answered a moment ago.
 *
 * @param name the name in messages; has no secrets
 * @param answeredIn the time from the question to the answer, or {@code null} if there
 * was none
 * @param time the server's clock when it answered, or {@code null} if that is not known
 * @param evictionPolicy the policy of the server when its memory is used up, as Redis
 * calls it; {@value #UNLIMITED} if its memory has no limit, and empty if it is not known
 * @param failure the reason why there was no usable answer, or {@code null}
 * @param warnings other conditions that a person has to repair, each with its remedy;
 * locks can be had all the same
 * @since 0.1.0
 */
public record StoreNode(String name, @Nullable Duration answeredIn, @Nullable Instant time, String evictionPolicy,
		@Nullable LockStoreException failure, List<String> warnings) {

	/** The policy of a server whose memory has no limit. */
	public static final String UNLIMITED = "unlimited";

	private static final Set<String> SAFE = Set.of("", UNLIMITED, "noeviction");

	/**
	 * Create a server without warnings.
	 * @param name the name in messages; has no secrets
	 * @param answeredIn the time from the question to the answer, or {@code null} if
	 * there was none
	 * @param time the server's clock when it answered, or {@code null} if that is not
	 * known
	 * @param evictionPolicy the policy of the server when its memory is used up
	 * @param failure the reason why there was no usable answer, or {@code null}
	 */
	public StoreNode(String name, @Nullable Duration answeredIn, @Nullable Instant time, String evictionPolicy,
			@Nullable LockStoreException failure) {
		this(name, answeredIn, time, evictionPolicy, failure, List.of());
	}

	/**
	 * A server that has not answered.
	 * @param name the name in messages
	 * @param failure the reason
	 * @return the server
	 */
	public static StoreNode failed(String name, LockStoreException failure) {
		return new StoreNode(name, null, null, "", failure);
	}

	/**
	 * Return whether the server may drop held locks when its memory is used up: each has
	 * a time to live, so every policy but {@code noeviction} reaches them.
	 * @return false also if the policy is not known
	 */
	public boolean mayEvict() {
		return !SAFE.contains(this.evictionPolicy);
	}

}
