package io.distributedlock.shedlock;

import java.util.Optional;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * A lock of ShedLock on a lease. ShedLock's superclass refuses each use after the first
 * {@code unlock} or {@code extend}. After an extension, another lock is on the same
 * lease.
 */
final class LeaseSimpleLock extends AbstractSimpleLock {

	private final Lease lease;

	LeaseSimpleLock(Lease lease, LockConfiguration configuration) {
		super(configuration);
		this.lease = lease;
	}

	@Override
	protected void doUnlock() {
		this.lease.close();
	}

	/**
	 * An outage fails it, and leaves this lock valid: it can still be unlocked. A lease
	 * that is reported as lost may only be in doubt. It is extended again then.
	 */
	@Override
	protected Optional<SimpleLock> doExtend(LockConfiguration wanted) {
		do {
			try {
				this.lease.extend(wanted.getLockAtMostFor(), wanted.getLockAtLeastFor());
				return Optional.of(new LeaseSimpleLock(this.lease, wanted));
			}
			catch (LockLostException ex) {
				// Lost or in doubt.
			}
		}
		while (!this.lease.isLost());
		return Optional.empty();
	}

}
