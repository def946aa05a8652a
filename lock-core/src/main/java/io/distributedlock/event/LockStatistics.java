package io.distributedlock.event;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;

/**
 * The counters of one registry since it was created, and its present numbers. To be read
 * by monitoring, every few seconds: waiters are counted at each call. Thread-safe; the
 * numbers are not taken at one moment.
 *
 * @since 0.1.0
 */
public interface LockStatistics {

	/**
	 * The number of locks that this instance holds, including those whose release the
	 * store has not confirmed. Re-entrant holds count once.
	 * @return the number
	 */
	int held();

	/**
	 * The number of held locks that are to be renewed, but have more than half of the
	 * lease behind them without a confirmed renewal. Looks at each lock that this
	 * instance holds.
	 * @return the number
	 */
	int overdue();

	/**
	 * The number of callers of this instance that wait for a lock, or for the answer to
	 * their attempt.
	 * @return the number
	 */
	int waiting();

	/**
	 * The time that the longest-waiting caller has waited. A caller with a budget of a
	 * day or more does not count: its wait is meant to be long, as that of a candidate in
	 * an election.
	 * @return the time, zero if none waits
	 */
	Duration oldestWait();

	/**
	 * The number of lost locks.
	 * @param reason the reason for the loss
	 * @return the number
	 */
	long lost(LossReason reason);

	/**
	 * The number of endangered locks: a renewal had failed and less than half of the
	 * lease was left.
	 * @return the number
	 */
	long endangered();

	/**
	 * The number of transactions that were not to commit, because a lock was lost or the
	 * transaction did not see that it is held.
	 * @return the number
	 */
	long refusedCommits();

	/**
	 * The number of watched leases that the application has forgotten without closing
	 * them. Their locks stay taken.
	 * @return the number
	 */
	long leaked();

	/**
	 * The number of renewals that the store has confirmed.
	 * @return the number
	 */
	long renewals();

	/**
	 * The number of renewals that failed or were not answered in time.
	 * @return the number
	 */
	long failedRenewals();

	/**
	 * The number of locks that callers of this instance got by a hand-off.
	 * @param from the source of the locks; the number for {@link AcquiredFrom#STORE} is
	 * not counted, and 0
	 * @return the number
	 */
	long handOffs(AcquiredFrom from);

	/**
	 * The number of commands that the store has refused or not answered in time. Each
	 * attempt and each renewal of a lock is a command of its own.
	 * @param kind the kind of failure
	 * @return the number
	 */
	long storeErrors(LockStoreException.Kind kind);

	/**
	 * The number of events that were dropped because listeners were too slow.
	 * @return the number
	 */
	long droppedEvents();

	/**
	 * The time since the last answer of each node of the store, or since the store was
	 * created if the node never answered. Grows also while no command is sent to a node.
	 * @return the time by the name of the node; empty if the store does not know
	 */
	Map<String, Duration> sinceLastAnswer();

}
