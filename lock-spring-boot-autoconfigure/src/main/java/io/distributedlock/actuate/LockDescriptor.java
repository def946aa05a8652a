package io.distributedlock.actuate;

import java.util.List;
import java.util.Map;

import io.distributedlock.LockInspection;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the endpoint says of the locks of one name.
 *
 * @param held what this process holds of them
 * @param waiting the callers of this process that wait for them
 * @param losses the last losses of them, the newest one first
 * @param profile the settings of the name that are in force
 * @param store who has the lock, here or elsewhere; {@code null} unless a key was given
 * @since 0.1.0
 */
public record LockDescriptor(List<LocksDescriptor.Held> held, List<LocksDescriptor.Waiting> waiting,
		List<LocksDescriptor.Lost> losses, Map<String, LockSetting> profile,
		@Nullable Stored store) implements OperationResponseBody {

	/**
	 * What the store says of a lock.
	 *
	 * @param locked whether it is held or kept
	 * @param mode in lower case
	 * @param holders those that hold it, at most {@value LockInspection#MOST_HOLDERS}
	 * @param waiting how many waiter entries there are
	 * @param permits of a semaphore, and how many are free
	 * @param more what else is known: how many hold it, for how long it is kept, and the
	 * nodes of a quorum that did not answer
	 */
	public record Stored(boolean locked, String mode, List<Holder> holders, int waiting, Permits permits, More more) {
	}

	/**
	 * Permits of a semaphore.
	 *
	 * @param all how many there are, zero if it is no semaphore
	 * @param free how many are free
	 */
	public record Permits(int all, int free) {
	}

	/**
	 * What else is known of a lock.
	 *
	 * @param holderCount how many hold it
	 * @param keptForMillis how long it stays taken whatever its holder does
	 * @param silentNodes the nodes of a quorum that did not answer
	 */
	public record More(int holderCount, long keptForMillis, List<String> silentNodes) {
	}

	/**
	 * One that holds a lock.
	 *
	 * @param request the request that has it, for a force-release that spares others
	 * @param instance the instance that has it
	 * @param instanceName what that is called, maybe empty
	 * @param fencingToken its token, or the last one that the instance has reserved
	 * @param remainingMillis how long the lease lasts if it is not renewed
	 */
	public record Holder(String request, String instance, String instanceName, long fencingToken,
			long remainingMillis) {
	}

	/**
	 * What has come of a force-release.
	 *
	 * @param released how many holders have lost the lock; 1 also for one that was only
	 * kept
	 */
	public record Released(int released) implements OperationResponseBody {
	}

}
