package io.distributedlock.engine.internal.lease;

import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.time.HeapTimer;

/**
 * The end of a request whose lock was lost. If the answer to a renewal did not arrive,
 * the store may have the lock for a whole lease after that. A later request in the same
 * place would find it busy. So the place is kept until the lock is released. The timer
 * frees the place of a lease that is never closed.
 */
public final class LostRequest extends HeapTimer {

	private final Grant grant;

	private LostRequest(Grant grant) {
		this.grant = grant;
	}

	/**
	 * Return whether there is nothing to release: the store does not have the lock, or
	 * another process may have it by the same request.
	 */
	public static boolean isOver(Grant lost) {
		LossReason reason = lost.lossReason();
		return reason == LossReason.RESTORED || (reason == LossReason.NOT_OWNER && lost.keys().size() == 1);
	}

	/**
	 * Return whether the lease must run out in the store, since the delay begins then. A
	 * release in time would leave no delay, and the store has the lease for longer than
	 * its holder knows.
	 */
	public static boolean isToRunOut(Grant lost) {
		return lost.isUsed() && !lost.terms().lockDelay.isZero();
	}

	/** Free the place of a lost request, or schedule that. */
	public static void end(Grant lost) {
		if (lost.lossReason() == LossReason.NOT_OWNER && !lost.mode().isExclusive()) {
			lost.requestLost();
		}
		if (isOver(lost)) {
			lost.requestEnded();
		}
		else if (!lost.plain) {
			Instance instance = lost.instance;
			long lease = lost.longestTtlNanos() + instance.commandTimeoutNanos();
			instance.timers.schedule(new LostRequest(lost), instance.now() + lease);
		}
	}

	/** The store does not have the lock any more. */
	@Override
	public void fire(long now) {
		this.grant.requestEnded();
	}

}
