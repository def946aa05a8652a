package io.distributedlock.actuate;

import java.util.List;
import java.util.Map;

import io.distributedlock.LockInspection;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Answer of the endpoint about the locks of one name.
 *
 * @param held those that this process holds
 * @param waiting the callers of this process that wait for them
 * @param losses their last losses, the newest one first
 * @param profile the settings in force for the name
 * @param store the state of one lock in the store; {@code null} unless a key was given
 * @since 0.1.0
 */
public record LockDescriptor(List<LocksDescriptor.Held> held, List<LocksDescriptor.Waiting> waiting,
		List<LocksDescriptor.Lost> losses, Map<String, LockSetting> profile,
		@Nullable Stored store) implements OperationResponseBody {

	/**
	 * State of a lock in the store.
	 *
	 * @param locked {@code true} if it is held or kept
	 * @param mode the mode in lower case
	 * @param holders its holders, at most {@value LockInspection#MOST_HOLDERS}
	 * @param waiting the number of waiter entries
	 * @param permits the permits of a semaphore
	 * @param more the number of holders, the time for which it is kept, and the nodes of
	 * a quorum that did not answer
	 */
	public record Stored(boolean locked, String mode, List<Holder> holders, int waiting, Permits permits, More more) {
	}

	/**
	 * Permits of a semaphore.
	 *
	 * @param all their number, zero if the lock is no semaphore
	 * @param free the number of free ones
	 */
	public record Permits(int all, int free) {
	}

	/**
	 * Further state of a lock in the store.
	 *
	 * @param holderCount the number of its holders; of a semaphore the number of permits
	 * that are taken
	 * @param keptForMillis the time for which {@code keepFor} keeps it taken, or
	 * {@code lockDelay} keeps it closed
	 * @param silentNodes the nodes of a quorum that did not answer
	 */
	public record More(int holderCount, long keptForMillis, List<String> silentNodes) {
	}

	/**
	 * Holder of a lock.
	 *
	 * @param request the request that holds it, for a force-release that spares others
	 * @param instance the instance of the request
	 * @param instanceName the name of the instance, maybe empty
	 * @param fencingToken its fencing token, or the last one that the instance has
	 * reserved
	 * @param remainingMillis how long the lease lasts if it is not renewed
	 * @param permits how many permits of a semaphore it has taken; 1 in other modes
	 */
	public record Holder(String request, String instance, String instanceName, long fencingToken, long remainingMillis,
			int permits) {
	}

	/**
	 * Result of a force-release.
	 *
	 * @param released the number of holders that have lost the lock; 1 also for a lock
	 * that was only kept
	 */
	public record Released(int released) implements OperationResponseBody {
	}

}
