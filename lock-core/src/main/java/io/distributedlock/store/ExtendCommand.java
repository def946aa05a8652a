package io.distributedlock.store;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Sets leases anew, longer or shorter, for the last request of its contender only.
 *
 * @param keys the locks; several only if the store
 * {@linkplain LockStore#takesTogether(List) takes them together}
 * @param request the owner
 * @param ttl the new lease from now on
 * @param keepFor how long the locks stay taken at least from now on, zero for no longer
 * than they are held; {@code null} for no change. Not for readers and permits
 * @param marks the marks of earlier renewals, with a new mark in front that no renewal
 * uses. The store keeps it, and so recognises a copy of this command, and a renewal that
 * was sent before it
 * @since 0.1.0
 */
public record ExtendCommand(List<LockKey> keys, RequestId request, Duration ttl, @Nullable Duration keepFor,
		RenewalMarks marks) {

	/**
	 * Check that there is a mark.
	 */
	public ExtendCommand {
		if (marks.newest().isEmpty()) {
			throw new IllegalArgumentException("An extend needs a mark of its own, or a copy of it would count again");
		}
	}

	/**
	 * Copy this command for one of the locks, or some of them.
	 * @param part the locks
	 * @return the command
	 */
	public ExtendCommand of(List<LockKey> part) {
		return new ExtendCommand(part, this.request, this.ttl, this.keepFor, this.marks);
	}

}
