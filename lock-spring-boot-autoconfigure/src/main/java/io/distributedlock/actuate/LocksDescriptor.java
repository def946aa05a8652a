package io.distributedlock.actuate;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the endpoint says of the locks of this process. Keys are masked unless they are to
 * be shown.
 *
 * @param instances the registries of this process, as others see them
 * @param held what they hold
 * @param waiting the callers that wait
 * @param losses the last losses of each registry, at most 20, the newest one first
 * @param profiles by lock name the settings in force; those without a name are for all
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
	 * @param instance what the store knows it by
	 * @param name what it is called beside that, maybe empty
	 */
	public record Instance(String registry, String instance, String name) {
	}

	/**
	 * A lock, as far as a caller has it or wants it.
	 *
	 * @param registry the name of the registry's bean
	 * @param name the name of the lock, maybe empty
	 * @param keys its keys
	 * @param mode in lower case
	 */
	public record Lock(String registry, String name, List<String> keys, String mode) {
	}

	/**
	 * What is held here.
	 *
	 * @param lock the lock
	 * @param fencingToken its token
	 * @param ageMillis how long it is held
	 * @param remainingMillis how long the lease lasts if it is not renewed
	 * @param renewal how the renewals go
	 * @param owner who has it, and where in the application
	 */
	public record Held(Lock lock, long fencingToken, long ageMillis, long remainingMillis, Renewal renewal,
			Owner owner) {
	}

	/**
	 * The acquisition of a lock whose lease is watched.
	 *
	 * @param place where in the application, innermost frame first, if it is known
	 * @param leaked whether the application has forgotten its lease without closing it
	 */
	public record Origin(@Nullable String place, boolean leaked) {
	}

	/**
	 * How the renewals of a lease go.
	 *
	 * @param confirmed how many were confirmed
	 * @param failed how many were not
	 * @param overdue whether more than half of the lease is over without one
	 */
	public record Renewal(int confirmed, int failed, boolean overdue) {
	}

	/**
	 * A caller.
	 *
	 * @param name such as {@code thread 'main'}, maybe empty
	 * @param place where that thread is now, if it is known
	 * @param origin where it has acquired what it holds, if that is known
	 */
	public record Owner(String name, @Nullable String place, @Nullable Origin origin) {
	}

	/**
	 * A caller that waits.
	 *
	 * @param lock what it waits for
	 * @param waitedMillis how long it has waited
	 * @param leftMillis what is left of its budget, {@code null} for no limit
	 * @param owner who waits, and where in the application
	 */
	public record Waiting(Lock lock, long waitedMillis, @Nullable Long leftMillis, Owner owner) {
	}

	/**
	 * A lock that was lost.
	 *
	 * @param lock the lock
	 * @param fencingToken its token
	 * @param reason why, a {@link io.distributedlock.LossReason} in lower case
	 * @param message what that means
	 * @param heldMillis how long it was held until then
	 * @param agoMillis how long ago that was
	 * @param cause why the last renewal was not confirmed, if that is why; only the kind
	 * of the failure where keys are masked
	 */
	public record Lost(Lock lock, long fencingToken, String reason, String message, long heldMillis, long agoMillis,
			@Nullable String cause) {
	}

	/**
	 * A server.
	 *
	 * @param registry the name of the bean of the registry that uses it
	 * @param name what messages call it
	 * @param answeredInMillis how fast it has answered, {@code null} if it has not
	 * @param evictionPolicy what it does where its memory is used up, if it is known
	 * @param failure why it has not answered
	 */
	public record Node(String registry, String name, @Nullable Double answeredInMillis, String evictionPolicy,
			@Nullable String failure) {
	}

}
