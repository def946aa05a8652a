package io.distributedlock.reactive;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LossReason;
import org.jspecify.annotations.Nullable;

/** How a subscriber learns of the loss of a lease. */
final class LossSignals {

	private LossSignals() {
	}

	/** The loss of a lease whose body still runs. */
	static LockLostException of(Lease lost) {
		try {
			lost.checkHeld();
		}
		catch (LockLostException ex) {
			return ex;
		}
		catch (IllegalStateException ignored) {
			// Closed meanwhile: the subscriber has gone.
		}
		return new LockLostException(lost.name(), lost.keys().get(0), LossReason.EXPIRED, false);
	}

	static LockLostException reported(LockLostException loss, boolean bodyCompleted) {
		return (loss.isBodyCompleted() == bodyCompleted) ? loss : new LockLostException(loss.getName(), loss.getKey(),
				loss.getReason(), bodyCompleted, loss.getCause());
	}

	/** Leaves out a loss that has ended the body already. */
	static void suppress(Throwable failure, @Nullable Throwable atRelease) {
		if (failure instanceof LockLostException first && atRelease instanceof LockLostException second
				&& first.getKey().equals(second.getKey())) {
			return;
		}
		if (atRelease != null && failure != atRelease) {
			failure.addSuppressed((atRelease instanceof LockLostException loss) ? reported(loss, false) : atRelease);
		}
	}

}
