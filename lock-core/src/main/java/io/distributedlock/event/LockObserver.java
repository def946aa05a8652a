package io.distributedlock.event;

import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * Watches how callers wait for locks and hold them, from the beginning to the end of
 * each. Unlike a {@link LockEventListener} it is called at once, on the thread of the
 * caller where there is one, and misses nothing: so it must be fast and must not block.
 * What it throws is logged, and changes nothing for the caller.
 * <p>
 * Several keys of one request are one wait and one hold. A caller that enters a lock
 * again which its owner has already begins a wait, as it may have to be confirmed, but no
 * other hold. Where the owner has some of the keys, the hold is that of the others.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public interface LockObserver {

	/**
	 * Whether to watch at all. Asked by every call, so it must cost nothing.
	 * @return {@code false} while nothing is to be observed
	 */
	default boolean isObserving() {
		return true;
	}

	/**
	 * A caller asks for a lock. Called on its thread.
	 * @param name the name of the lock, maybe empty
	 * @param keys the keys as the caller wrote them, at least one
	 * @param mode the mode
	 * @return what is told of the end of the wait, or {@code null} if this one is not
	 * observed
	 */
	@Nullable Wait waiting(String name, List<String> keys, LockMode mode);

	/** A caller that waits. One of its methods is called, once. */
	interface Wait {

		/**
		 * The caller has the lock.
		 * @param token the fencing token, that of the first key of the hold if there are
		 * several
		 * @return what is told of the end of the hold, or {@code null} if it is not
		 * observed
		 */
		@Nullable Hold acquired(long token);

		/** The caller has entered a lock again which its owner has already. */
		void reentered();

		/**
		 * The caller did not get the lock.
		 * @param reason what the caller gets instead: as
		 * {@link io.distributedlock.LockRegistry#acquire} throws, an
		 * {@link InterruptedException} or a
		 * {@link java.util.concurrent.CancellationException}
		 */
		void failed(Throwable reason);

	}

	/** A lock that is held. One of its methods is called, once. */
	interface Hold {

		/** The holder has released it, and the store knows. */
		void released();

		/**
		 * The holder has left, and the store has not confirmed that in time. It is asked
		 * again.
		 * @param failure why
		 */
		void releaseFailed(Throwable failure);

		/**
		 * It was lost before the holder has released it.
		 * @param reason why
		 * @param cause why the last renewal was not confirmed, if that is why
		 */
		void lost(LossReason reason, @Nullable Throwable cause);

	}

}
