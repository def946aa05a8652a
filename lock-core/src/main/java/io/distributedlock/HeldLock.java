package io.distributedlock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A lock that this instance holds, as it was at one moment. Immutable.
 *
 * @param name the name of the lock, maybe empty
 * @param keys the key, or several that were taken together
 * @param mode the kind of the lock
 * @param fencingToken its token
 * @param age how long it has been held
 * @param remaining how long the lease lasts if it is not renewed; zero while a jump of a
 * clock leaves the lease in doubt
 * @param overdue {@code true} if it is to be renewed, and more than half of the lease is
 * over without a confirmed renewal
 * @param renewals how many renewals were confirmed
 * @param failedRenewals how many renewals were not confirmed
 * @param owner such as {@code thread 'main'} or {@code subscription}; empty if the lease
 * has no owner
 * @param place the stack frame of the application in which the owner thread is, such as
 * {@code com.example.Orders.ship(Orders.java:42)}, or {@code null} if it is not known
 * @param origin the stack frames of the application that acquired the lock, innermost
 * first, or {@code null} if the lease is not watched
 * @param leaked {@code true} if the application has forgotten the lease, so that no code
 * can close it
 * @since 0.1.0
 */
public record HeldLock(String name, List<String> keys, LockMode mode, long fencingToken, Duration age,
		Duration remaining, boolean overdue, int renewals, int failedRenewals, String owner, @Nullable String place,
		@Nullable String origin, boolean leaked) {
}
