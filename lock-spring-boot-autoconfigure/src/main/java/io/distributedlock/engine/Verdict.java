package io.distributedlock.engine;

import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.store.AcquireOutcome;

/** What the answer to an attempt means for the queue that has made it. */
sealed interface Verdict {

	/**
	 * The lock is held.
	 *
	 * @param token the fencing token
	 * @param validUntil the end of the lease, drift taken off
	 */
	record Granted(long token, long validUntil) implements Verdict {
	}

	/**
	 * The lock is busy.
	 *
	 * @param answer what the store has said
	 * @param nextAt when to attempt again
	 */
	record Busy(AcquireOutcome.Busy answer, long nextAt) implements Verdict {
	}

	/** The request has ended, or its answer is in doubt. */
	record Ended() implements Verdict {

		static final Ended INSTANCE = new Ended();

	}

	/**
	 * The store has the lock for this request, but too few replicas have it as well.
	 *
	 * @param miss what is reported unless a later attempt succeeds
	 */
	record Missed(ReplicasNotAcknowledgedException miss) implements Verdict {
	}

	/**
	 * The store gave no usable answer.
	 *
	 * @param failure why
	 */
	record Failed(LockStoreException failure) implements Verdict {
	}

}
