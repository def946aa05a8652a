package io.distributedlock;

import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/** A lease and the body that it guards; here the lease ends with the body. */
class LeaseScope {

	private final Lease lease;

	private final BooleanSupplier toleratesLoss;

	LeaseScope(Lease lease, BooleanSupplier toleratesLoss) {
		this.lease = lease;
		this.toleratesLoss = toleratesLoss;
	}

	final Lease lease() {
		return this.lease;
	}

	/** Run the body. If it fails, end the lease and throw the failure of the body. */
	final <T extends @Nullable Object, E extends Throwable> T run(LockedCallback<T, E> action) throws E {
		try (CurrentLease current = CurrentLease.enter(this)) {
			return action.doWithLock(this.lease);
		}
		catch (Throwable ex) {
			Losses.suppress(ex, endQuietly());
			throw ex;
		}
	}

	/** End the lease, because the body has completed on this thread. */
	final void complete() {
		RuntimeException failure = endQuietly();
		if (failure != null) {
			throw Losses.reported(failure, true);
		}
	}

	final @Nullable RuntimeException endQuietly() {
		try {
			end();
			return null;
		}
		catch (RuntimeException ex) {
			return ex;
		}
	}

	/** End the ownership of the lease, because the body goes on in other threads. */
	final void detach() {
		if (this.lease instanceof TemplateLease owned) {
			owned.detach();
		}
	}

	final boolean toleratesLoss() {
		return this.toleratesLoss.getAsBoolean();
	}

	final void checkHeld() {
		if (!toleratesLoss()) {
			this.lease.checkHeld();
		}
	}

	/** Check the lease, on the thread whose transaction is about to commit. */
	final void checkCommit() {
		if (!toleratesLoss()) {
			this.lease.checkCommit();
		}
	}

	void end() {
		this.lease.close();
	}

	CompletionStage<Void> endAsync() {
		return this.lease.release();
	}

}
