package io.distributedlock.store;

import org.jspecify.annotations.Nullable;

/**
 * Take a lock away from those that hold it.
 *
 * @param key the lock
 * @param request the only request to take it from; {@code null} for all, and then the
 * lock is not kept any more either
 * @param refusesLater only for a {@linkplain QuorumNode node of a quorum}, of which
 * another one knows the request: it is refused if it has yet to come, as
 * {@link LockStore#abandon} does
 * @since 0.1.0
 */
public record ForceReleaseCommand(LockKey key, @Nullable RequestId request, boolean refusesLater) {

	/**
	 * Take it from those that have it now.
	 * @param key the lock
	 * @param request the only request to take it from, or {@code null} for all
	 */
	public ForceReleaseCommand(LockKey key, @Nullable RequestId request) {
		this(key, request, false);
	}

}
