package io.distributedlock.engine.internal.line;

import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.report.InstanceNames;
import io.distributedlock.engine.internal.report.LockEvents;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Names the holder of a busy lock in messages. Looks into queues, so it must not be
 * called under the monitor of one.
 */
final class HolderNames {

	private static final String THIS_INSTANCE = "this instance";

	/** A release or an abandoned request that has not been answered, or a set. */
	private static final String GIVEN_UP = THIS_INSTANCE
			+ ", which has given it up and has no confirmation of that yet, or has reserved it for a call that waits for "
			+ "more locks";

	private static final String KEPT = "no caller, but it is kept";

	private final Instance instance;

	private final Reentrance sets;

	private final LockEvents events;

	private final InstanceNames names;

	HolderNames(Instance instance, Reentrance sets, LockEvents events, InstanceNames names) {
		this.instance = instance;
		this.sets = sets;
		this.events = events;
		this.names = names;
	}

	/**
	 * Return the failure of a waiter whose lock is busy.
	 * @param keys the keys of the queue
	 * @param here the grant of this instance that has the lock, if it is known
	 * @param answer the last answer of the store, {@code null} if there is none
	 */
	Failure busy(Waiter waiter, List<LockKey> keys, @Nullable Grant here, AcquireOutcome.@Nullable Busy answer) {
		LockKey key = keys.get((answer != null) ? answer.index() : 0);
		return () -> {
			String holder = (here != null) ? of(here) : of(key, answer);
			LockNotAcquiredException ex = new LockNotAcquiredException(key.name(), key.key(), holder,
					waiter.waited(this.instance.now()), explanation(waiter, key, holder));
			this.events.busy(key, waiter.terms.mode, ex.getWaited());
			return ex;
		};
	}

	static String of(Grant held) {
		return (held.owner() instanceof Thread thread) ? "thread '%s' of %s".formatted(thread.getName(), THIS_INSTANCE)
				: THIS_INSTANCE;
	}

	/**
	 * Return the name of the holder. The store knows instances only, and this instance
	 * may hold one of several keys.
	 * @param key the key that is busy
	 * @param answer the last answer of the store, {@code null} if there is none
	 */
	@Nullable String of(LockKey key, AcquireOutcome.@Nullable Busy answer) {
		if (answer == null) {
			return null;
		}
		if (answer.holder().isEmpty()) {
			return KEPT + " for up to %d ms by keepFor or lockDelay".formatted(answer.remaining().toMillis());
		}
		Grant held = this.sets.heldHere(key);
		if (held != null && answer.holder().equals(held.request().instance())) {
			return of(held);
		}
		return answer.holder().equals(this.instance.requestIds().instance()) ? GIVEN_UP
				: "instance " + this.names.described(answer.holder());
	}

	/** Return a text that replaces the holder where its name is not enough. */
	private @Nullable String explanation(Waiter waiter, LockKey key, @Nullable String holder) {
		if (waiter.terms.mode == LockMode.SEMAPHORE) {
			return (holder == null || holder.startsWith(KEPT)) ? null : full(waiter, key, holder);
		}
		Thread thread = waiter.thread();
		return isHeldBy(thread, key)
				? "held by this thread itself, but not by the same owner: use "
						+ "LockRequest.ownedByCurrentThread() wherever it is acquired by hand, to enter it again"
				: null;
	}

	/**
	 * Describe a semaphore without a free permit. A caller that has one waits for
	 * another.
	 */
	private String full(Waiter waiter, LockKey key, String holder) {
		String some = (waiter.terms.take > 1)
				? "fewer than %d permits are free, some are taken".formatted(waiter.terms.take)
				: "all permits are taken, one of them";
		return some + " by " + (isHeldBy(waiter.owner, key) ? "this caller: a semaphore is not re-entrant" : holder);
	}

	private boolean isHeldBy(@Nullable Object holder, LockKey key) {
		return holder != null && this.sets.heldHere(key, holder).anyMatch((held) -> held.holder() == holder);
	}

}
