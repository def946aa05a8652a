package io.distributedlock.reactive;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LossReason;
import org.jspecify.annotations.Nullable;

/** How the loss of a lease is told to a subscriber. */
final class Losses {

	private Losses() {
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
			// Closed meanwhile: nobody listens any more.
		}
		return new LockLostException(lost.name(), lost.keys().get(0), LossReason.EXPIRED, false);
	}

	static LockLostException told(LockLostException loss, boolean bodyCompleted) {
		return (loss.isBodyCompleted() == bodyCompleted) ? loss : new LockLostException(loss.getName(), loss.getKey(),
				loss.getReason(), bodyCompleted, loss.getCause());
	}

	/** A loss that ended the body is not told a second time. */
	static void suppress(Throwable failure, @Nullable Throwable atRelease) {
		if (failure instanceof LockLostException first && atRelease instanceof LockLostException second
				&& first.getKey().equals(second.getKey())) {
			return;
		}
		if (atRelease != null && failure != atRelease) {
			failure.addSuppressed((atRelease instanceof LockLostException loss) ? told(loss, false) : atRelease);
		}
	}

}
