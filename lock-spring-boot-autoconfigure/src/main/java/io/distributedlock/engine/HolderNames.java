package io.distributedlock.engine;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Says in messages who has a lock that is busy. Looks into queues, so not to be asked
 * under the monitor of one.
 */
final class HolderNames {

	private static final String THIS_INSTANCE = "this instance";

	/** A release or an abandoned request that has not been answered. */
	private static final String GIVEN_UP = THIS_INSTANCE
			+ ", which has given it up: the store has not confirmed that yet";

	private static final String NOBODY = "nobody, but it is kept for a while";

	private final Doubt doubt;

	private final Reentrance sets;

	private final LockEvents events;

	HolderNames(Doubt doubt, Reentrance sets, LockEvents events) {
		this.doubt = doubt;
		this.sets = sets;
		this.events = events;
	}

	/**
	 * Report that a lock is busy.
	 * @param key the key that is busy
	 * @param here the grant of this instance that has the lock, if it is known
	 * @param answer what the store has said, {@code null} if nothing
	 */
	LockNotAcquiredException busy(Waiter waiter, LockKey key, @Nullable Grant here,
			AcquireOutcome.@Nullable Busy answer) {
		String holder = (here != null) ? of(here) : of(key, answer);
		LockNotAcquiredException ex = new LockNotAcquiredException(key.name(), key.key(), holder,
				waiter.waited(this.doubt.now()), whyBusy(waiter, key, holder));
		this.events.busy(key, waiter.terms.mode(), ex.getWaited());
		return ex;
	}

	static String of(Grant held) {
		return (held.owner() instanceof Thread thread) ? "thread '%s' of %s".formatted(thread.getName(), THIS_INSTANCE)
				: THIS_INSTANCE;
	}

	/**
	 * The store knows instances only, and one of several keys may be busy in this one.
	 * @param key the key that is busy
	 * @param answer what the store has said, {@code null} if nothing
	 */
	@Nullable String of(LockKey key, AcquireOutcome.@Nullable Busy answer) {
		if (answer == null) {
			return null;
		}
		if (answer.holder().isEmpty()) {
			return NOBODY;
		}
		Grant held = this.sets.heldHere(key);
		if (held != null && answer.holder().equals(held.request().instance())) {
			return of(held);
		}
		return answer.holder().equals(this.doubt.requestIds().instance()) ? GIVEN_UP : "instance " + answer.holder();
	}

	/**
	 * Explain a busy lock where its holder's name is not enough.
	 * @param waiter the request that found the lock busy
	 * @param key the key that is busy
	 * @param holder what holds it or one of its permits, {@code null} if not known
	 * @return what the message says instead of the holder, {@code null} for the holder
	 */
	@Nullable String whyBusy(Waiter waiter, LockKey key, @Nullable String holder) {
		if (waiter.terms.mode() == LockMode.SEMAPHORE) {
			return (holder == null || holder.equals(NOBODY)) ? null : whyFull(waiter, key, holder);
		}
		Thread thread = waiter.thread();
		return (thread != null) ? whyBusy(thread, key) : null;
	}

	private @Nullable String whyBusy(Thread thread, LockKey key) {
		String itself = "held by this thread itself (%s), ".formatted(thread.getName());
		if (this.sets.heldHere(key, thread).anyMatch((held) -> held.isUnboundOf(thread))) {
			return itself + "with a lease that is not bound to it. Acquired by "
					+ "LockRequest.ownedByCurrentThread(), it could be entered again";
		}
		if (isHeldBy(thread, key)) {
			return itself + "to which this request is not bound: see LockRequest.ownedByCurrentThread()";
		}
		Grant held = this.sets.heldHere(key);
		return (held != null && isCarried(key))
				? "held by the body that this action was wrapped in (%s). ".formatted(of(held))
						+ "Lease.wrap carries the lease to this thread, but not the right to enter its lock again"
				: null;
	}

	/** Whether the calling thread has a lease of another thread's body, by its key. */
	private static boolean isCarried(LockKey key) {
		return Lease.current()
			.filter((lease) -> lease.isHeld() && lease.name().equals(key.name()) && lease.keys().contains(key.key()))
			.isPresent();
	}

	/** A permit is one of several, and a caller that has one waits for others. */
	private String whyFull(Waiter waiter, LockKey key, String holder) {
		int permits = waiter.terms.permits();
		String taken = (permits == 1) ? "the only permit is taken by "
				: "all %d permits are taken, one of them by ".formatted(permits);
		return taken + (isHeldBy(waiter.owner, key) ? self(waiter) + ": a semaphore is not re-entrant" : holder);
	}

	private boolean isHeldBy(@Nullable Object owner, LockKey key) {
		return owner != null && this.sets.heldHere(key, owner).anyMatch((held) -> held.owner() == owner);
	}

	private static String self(Waiter waiter) {
		return (waiter.owner instanceof Thread) ? "this thread" : "this caller";
	}

}
