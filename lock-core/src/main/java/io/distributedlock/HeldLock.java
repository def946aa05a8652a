package io.distributedlock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What this instance holds, as it was at one moment. Immutable.
 *
 * @param name the name of the lock, maybe empty
 * @param keys the key, or several that were taken together
 * @param mode what kind of lock it is
 * @param fencingToken its token
 * @param age how long it is held
 * @param remaining how long the lease lasts if it is not renewed; zero while a clock that
 * has jumped leaves that in doubt
 * @param overdue whether it is to be renewed and more than half of the lease is over
 * without a renewal that was confirmed
 * @param renewals how many renewals were confirmed
 * @param failedRenewals how many were not
 * @param owner such as {@code thread 'main'} or {@code subscription}; empty where the
 * lease belongs to no owner
 * @param place where in the application the thread is that owns the lease, such as
 * {@code com.example.Orders.ship(Orders.java:42)}, or {@code null} if that is not known
 * @param origin where the application has acquired it, innermost frame first, or
 * {@code null} where that was not watched
 * @param leaked whether the application has forgotten its lease, so that nothing can
 * close it
 * @since 0.1.0
 */
public record HeldLock(String name, List<String> keys, LockMode mode, long fencingToken, Duration age,
		Duration remaining, boolean overdue, int renewals, int failedRenewals, String owner, @Nullable String place,
		@Nullable String origin, boolean leaked) {
}
