package io.distributedlock.actuate;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Answer of the endpoint about all locks of this process. Keys are masked unless the
 * operator may see them.
 *
 * @param instances the registries of this process, as other processes see them
 * @param held the locks that they hold
 * @param waiting the callers that wait
 * @param losses the last losses of each registry, at most 20, the newest one first
 * @param profiles the settings in force by lock name; the empty name has those for all
 * locks
 * @param nodes the servers of the stores
 * @since 0.1.0
 */
public record LocksDescriptor(List<Instance> instances, List<Held> held, List<Waiting> waiting, List<Lost> losses,
		Map<String, Map<String, LockSetting>> profiles, List<Node> nodes) implements OperationResponseBody {

	/**
	 * A registry of this process.
	 *
	 * @param registry the name of its bean
	 * @param instance its identity in the store
	 * @param name its name for people, maybe empty
	 * @param checksCommits {@code true} if a transaction on the database of its store
	 * commits only while its holder has the lock
	 */
	public record Instance(String registry, String instance, String name, boolean checksCommits) {
	}

	/**
	 * A lock as a caller has requested it.
	 *
	 * @param registry the name of the registry's bean
	 * @param name the name of the lock, maybe empty
	 * @param keys its keys
	 * @param mode the mode in lower case
	 */
	public record Lock(String registry, String name, List<String> keys, String mode) {
	}

	/**
	 * A lock that this process holds.
	 *
	 * @param lock the lock
	 * @param fencingToken its fencing token
	 * @param ageMillis how long it is held
	 * @param remainingMillis how long the lease lasts if it is not renewed
	 * @param renewal its renewals
	 * @param owner the caller that holds it
	 */
	public record Held(Lock lock, long fencingToken, long ageMillis, long remainingMillis, Renewal renewal,
			Owner owner) {
	}

	/**
	 * The acquisition of a lock whose lease is watched.
	 *
	 * @param place the stack frames of the application, innermost first, if they are
	 * known
	 * @param leaked {@code true} if the application has dropped the lease without closing
	 * it
	 */
	public record Origin(@Nullable String place, boolean leaked) {
	}

	/**
	 * Renewals of a lease.
	 *
	 * @param confirmed the number of confirmed renewals
	 * @param failed the number of renewals that were not confirmed
	 * @param overdue {@code true} if more than half of the lease has passed without one
	 */
	public record Renewal(int confirmed, int failed, boolean overdue) {
	}

	/**
	 * A caller that holds a lock or waits for it.
	 *
	 * @param name its name, such as {@code thread 'main'}, maybe empty
	 * @param place the stack frame of that thread in the application, if it is known
	 * @param origin the acquisition of the lock that it holds, if it is known
	 */
	public record Owner(String name, @Nullable String place, @Nullable Origin origin) {
	}

	/**
	 * A caller that waits.
	 *
	 * @param lock the lock
	 * @param waitedMillis how long it has waited
	 * @param leftMillis the rest of its budget, {@code null} for no limit
	 * @param owner the caller
	 */
	public record Waiting(Lock lock, long waitedMillis, @Nullable Long leftMillis, Owner owner) {
	}

	/**
	 * A lock that was lost.
	 *
	 * @param lock the lock
	 * @param fencingToken its fencing token
	 * @param reason the {@link io.distributedlock.LossReason} in lower case
	 * @param message the description of the reason
	 * @param heldMillis how long it was held until then
	 * @param agoMillis how long ago that was
	 * @param cause the failure of the last renewal, if that is the reason; only its kind
	 * if keys are masked
	 */
	public record Lost(Lock lock, long fencingToken, String reason, String message, long heldMillis, long agoMillis,
			@Nullable String cause) {
	}

	/**
	 * A server.
	 *
	 * @param registry the name of the bean of the registry that uses it
	 * @param name its name in messages
	 * @param answeredInMillis its response time, {@code null} without an answer
	 * @param evictionPolicy its policy for full memory, empty if it is not known
	 * @param failure the reason if there was no usable answer
	 */
	public record Node(String registry, String name, @Nullable Double answeredInMillis, String evictionPolicy,
			@Nullable String failure) {
	}

}
