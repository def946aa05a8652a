package io.distributedlock.store;

import java.util.List;

/**
 * Releases locks.
 *
 * @param keys the locks
 * @param request the owner
 * @param marks those of its last renewal; a lock whose last renewal has a mark that they
 * do not {@linkplain RenewalMarks#know(String) know} stays as it is
 * @since 0.1.0
 */
public record ReleaseCommand(List<LockKey> keys, RequestId request, RenewalMarks marks) {

	/**
	 * Gives one lock back that was not renewed.
	 * @param key the lock
	 * @param request the owner
	 */
	public ReleaseCommand(LockKey key, RequestId request) {
		this(List.of(key), request, RenewalMarks.NONE);
	}

}
