package io.distributedlock.event;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;

/**
 * What one registry has counted since it was made, and what it has now. Reading is meant
 * for monitoring, every few seconds: what waits is counted when it is asked for.
 * Thread-safe; the numbers are not taken at one moment.
 *
 * @since 0.1.0
 */
public interface LockStatistics {

	/**
	 * How many locks this instance holds, those included whose release the store has not
	 * confirmed. Re-entrant holds count once.
	 * @return the number
	 */
	int held();

	/**
	 * How many of the locks that this instance holds are to be renewed, and have more
	 * than half of the lease behind them without a renewal that was confirmed. Looks at
	 * each of them.
	 * @return the number
	 */
	int overdue();

	/**
	 * How many callers of this instance wait for a lock, or for the answer to their
	 * attempt.
	 * @return the number
	 */
	int waiting();

	/**
	 * How long the caller has waited that has waited longest.
	 * @return the time, zero if none waits
	 */
	Duration oldestWait();

	/**
	 * How many locks were lost.
	 * @param reason why
	 * @return the number
	 */
	long lost(LossReason reason);

	/**
	 * How many locks were endangered: a renewal had failed and less than half of the
	 * lease was left.
	 * @return the number
	 */
	long endangered();

	/**
	 * How many leases were found that the application has forgotten without closing them,
	 * of those that are watched for it. Their locks stay taken.
	 * @return the number
	 */
	long leaked();

	/**
	 * How many renewals the store has confirmed.
	 * @return the number
	 */
	long renewals();

	/**
	 * How many renewals failed or were not answered in time.
	 * @return the number
	 */
	long failedRenewals();

	/**
	 * How many locks came to callers of this instance by a hand-off.
	 * @param from where they came from; the number for {@link AcquiredFrom#STORE} is not
	 * counted, and 0
	 * @return the number
	 */
	long handOffs(AcquiredFrom from);

	/**
	 * How many commands the store has refused or not answered in time. Each attempt and
	 * each renewal of a lock is a command of its own.
	 * @param kind the kind of failure
	 * @return the number
	 */
	long storeErrors(LockStoreException.Kind kind);

	/**
	 * How many events were dropped because listeners were too slow.
	 * @return the number
	 */
	long droppedEvents();

	/**
	 * How long ago each node of the store has answered last, or how long the store is
	 * there if that node never did. Grows also while a node is asked nothing.
	 * @return the time by the name of the node; empty if the store does not know
	 */
	Map<String, Duration> sinceLastAnswer();

}
