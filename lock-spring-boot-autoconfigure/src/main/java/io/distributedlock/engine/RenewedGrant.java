package io.distributedlock.engine;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.store.RenewalMarks;
import org.jspecify.annotations.Nullable;

/** How the renewals of a grant went. Its own monitor guards that. */
abstract class RenewedGrant extends Validity {

	/** Guarded by the grant. */
	private @Nullable RenewalHistory renewals;

	RenewedGrant(long drawnAt, LockTerms terms) {
		super(drawnAt, terms);
	}

	/** Whether no renewal was marked and no command about it has failed. */
	synchronized boolean isUnrenewed() {
		return this.renewals == null;
	}

	/**
	 * A renewal or the release has failed, or was confirmed.
	 * @param failure why it has failed, or {@code null}
	 * @return whether the lease is endangered now, and was not when it was last told
	 */
	synchronized boolean renewalFailed(@Nullable LockStoreException failure) {
		if (failure == null && this.renewals == null) {
			return false;
		}
		boolean before = renewals().endangered();
		this.renewals = renewals().withFailure(failure, isHalfOver());
		return !before && this.renewals.endangered();
	}

	/** Whether the lock is held, for less than half of what was given last. */
	private boolean isHalfOver() {
		long end = validUntil();
		return end >= 0 && end - now() < (end - this.confirmedAt) / 2;
	}

	/** Why the last command about it was not confirmed, if it was not. */
	synchronized @Nullable LockStoreException failure() {
		return renewals().failure();
	}

	/** Why the lease could not be renewed, if that is why it ran out. */
	@Nullable LockStoreException renewalFailure() {
		return (lossReason() == LossReason.EXPIRED) ? failure() : null;
	}

	/**
	 * The marks for a renewal that is sent now. Once the holder has left there are no new
	 * marks, so that its release knows them all.
	 */
	synchronized RenewalMarks markRenewal(long now) {
		long doubtedAt = instance().clock.doubtedAt();
		if (validUntil() >= 0 && renewals().wantsMark(now, ttlNanos(), doubtedAt)) {
			this.renewals = renewals().withMark(instance().requestIds().mark(), now, doubtedAt);
		}
		return marks();
	}

	synchronized void markConfirmed(RenewalMarks confirmed) {
		this.renewals = renewals().confirmed(confirmed);
	}

	synchronized RenewalMarks marks() {
		return (this.renewals != null) ? this.renewals.marks() : RenewalMarks.NONE;
	}

	private RenewalHistory renewals() {
		return (this.renewals != null) ? this.renewals : RenewalHistory.NONE;
	}

}
