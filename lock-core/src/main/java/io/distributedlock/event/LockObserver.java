package io.distributedlock.event;

import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * Watches how callers wait for locks and hold them, from the beginning to the end of
 * each. Unlike a {@link LockEventListener} it is called at once, on the thread of the
 * caller if there is one, and misses no call: so it must be fast and must not block. An
 * exception of an observer is logged, and changes nothing for the caller.
 * <p>
 * Several keys of one request are one wait and one hold. Entering a lock again that the
 * owner already has begins a wait, as it may have to be confirmed, but no other hold. If
 * the owner has only some of the keys, the hold is that of the others. Thread-safe.
 *
 * @since 0.1.0
 */
public interface LockObserver {

	/**
	 * Return whether to watch at all. Asked by every call, so it must cost nothing.
	 * @return {@code false} to observe nothing
	 */
	default boolean isObserving() {
		return true;
	}

	/**
	 * A caller requests a lock. Called on its thread.
	 * @param name the name of the lock, maybe empty
	 * @param keys the keys as the caller wrote them, at least one
	 * @param mode the mode
	 * @return the observer of the end of the wait, or {@code null} if this wait is not
	 * observed
	 */
	@Nullable Wait waiting(String name, List<String> keys, LockMode mode);

	/** A caller that waits. One of its methods is called, once. */
	interface Wait {

		/**
		 * The caller has the lock.
		 * @param token the fencing token, that of the first key of the hold if there are
		 * several
		 * @return the observer of the end of the hold, or {@code null} if it is not
		 * observed
		 */
		@Nullable Hold acquired(long token);

		/** The caller has entered a lock again that its owner already has. */
		void reentered();

		/**
		 * The caller did not get the lock.
		 * @param reason the failure that the caller gets: an exception of
		 * {@link io.distributedlock.LockRegistry#acquire}, an
		 * {@link InterruptedException} or a
		 * {@link java.util.concurrent.CancellationException}
		 */
		void failed(Throwable reason);

	}

	/** A lock that is held. One of its methods is called, once. */
	interface Hold {

		/** The holder has released it, and the store has confirmed that. */
		void released();

		/**
		 * The holder has closed the lease, but the store has not confirmed the release in
		 * time. The release is tried again.
		 * @param failure the failure of the store
		 */
		void releaseFailed(Throwable failure);

		/**
		 * It was lost before the holder released it.
		 * @param reason the reason for the loss
		 * @param cause the failure of the last renewal, if that caused the loss
		 */
		void lost(LossReason reason, @Nullable Throwable cause);

	}

}
