package io.distributedlock.store;

import java.util.List;

/**
 * Releases locks.
 *
 * @param keys the locks
 * @param request the owner
 * @param marks the marks of its last renewal; a lock whose last renewal has a mark that
 * they do not {@linkplain RenewalMarks#know(String) know} stays as it is;
 * {@linkplain RenewalMarks#ANY any} for a process that has only a handle
 * @since 0.1.0
 */
public record ReleaseCommand(List<LockKey> keys, RequestId request, RenewalMarks marks) {

	/**
	 * Releases one lock that was not renewed.
	 * @param key the lock
	 * @param request the owner
	 */
	public ReleaseCommand(LockKey key, RequestId request) {
		this(List.of(key), request, RenewalMarks.NONE);
	}

}
