package io.distributedlock.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * A server of a store, as it answered a moment ago.
 *
 * @param name what messages call it; has no secrets
 * @param answeredIn from the question to the answer, or {@code null} if there was none
 * @param time the server's clock when it answered, or {@code null} if that is not known
 * @param evictionPolicy what the server does where its memory is used up, as Redis calls
 * it; {@value #UNLIMITED} if its memory has no limit, and empty if that is not known
 * @param failure why there was no usable answer, or {@code null}
 * @since 0.1.0
 */
public record StoreNode(String name, @Nullable Duration answeredIn, @Nullable Instant time, String evictionPolicy,
		@Nullable LockStoreException failure) {

	/** The policy of a server whose memory has no limit. */
	public static final String UNLIMITED = "unlimited";

	private static final Set<String> SAFE = Set.of("", UNLIMITED, "noeviction");

	/**
	 * A server that has not answered.
	 * @param name what messages call it
	 * @param failure why
	 * @return the server
	 */
	public static StoreNode failed(String name, LockStoreException failure) {
		return new StoreNode(name, null, null, "", failure);
	}

	/**
	 * Whether the server may drop locks that are held when its memory is used up: each
	 * has a time to live, so every policy but {@code noeviction} reaches them.
	 * @return false also where it is not known
	 */
	public boolean mayEvict() {
		return !SAFE.contains(this.evictionPolicy);
	}

}
