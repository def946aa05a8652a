package io.distributedlock.store;

import org.jspecify.annotations.Nullable;

/**
 * Takes a lock away from its holders.
 *
 * @param key the lock
 * @param request the only request to take it from; {@code null} for all, which also frees
 * a lock that is only kept
 * @param refusesLater {@code true} only for a {@linkplain QuorumNode node of a quorum},
 * if another node knows the request: this node refuses it when it arrives later, as after
 * {@link LockStore#abandon}
 * @since 0.1.0
 */
public record ForceReleaseCommand(LockKey key, @Nullable RequestId request, boolean refusesLater) {

	/**
	 * Takes a lock away from its present holders.
	 * @param key the lock
	 * @param request the only request to take it from, or {@code null} for all
	 */
	public ForceReleaseCommand(LockKey key, @Nullable RequestId request) {
		this(key, request, false);
	}

}
