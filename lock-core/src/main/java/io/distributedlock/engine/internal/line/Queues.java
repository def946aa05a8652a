package io.distributedlock.engine.internal.line;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockMode;
import io.distributedlock.LockOwner;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.report.LockEvents;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The way of callers into the queues of one instance, and out of them. Exclusive requests
 * wait in one line for each key or set of keys, and so do requests for a permit. Readers
 * and fair requests have waiter entries of their own in the store, so each has a queue of
 * its own. A single try to get a permit has one as well.
 */
public final class Queues {

	public final QueueIndex index;

	private final Instance instance;

	private final AtomicLong numbers = new AtomicLong();

	public Queues(Instance instance, LockEvents events) {
		this.instance = instance;
		this.index = new QueueIndex(instance, events, this::heldInLine, this::ownersChanged);
	}

	private @Nullable Grant heldInLine(String encodedKey) {
		return KeyQueue.heldInLine(this.index, encodedKey);
	}

	/**
	 * Let a waiter into the queue of its keys, or into a lock that its owner has already.
	 * A failure leaves nothing of the waiter behind.
	 */
	public void enter(Waiter waiter) {
		try {
			boolean entered = enterHeld(waiter);
			while (!entered) {
				KeyQueue queue = of(waiter);
				entered = queue.enter(waiter);
				if (entered && this.index.otherCount > 0) {
					enterAgain(queue, waiter);
				}
			}
		}
		catch (Throwable ex) {
			dismiss(waiter, Failure.of(ex));
		}
	}

	/**
	 * Let a waiter enter a lock that its owner has already, or refuse it because of that.
	 * @return {@code true} if the waiter has entered or was refused
	 */
	private boolean enterHeld(Waiter waiter) {
		if ((this.index.otherCount == 0 && waiter.terms.mode != LockMode.FAIR) || !Reentrance.mayHold(waiter)) {
			return false;
		}
		Grant held = this.index.reentrance.enterable(waiter);
		return held != null && KeyQueue.of(held).enterPart(waiter);
	}

	/** Let waiters for the keys enter a held lock if their owners may do so by now. */
	private void ownersChanged(List<LockKey> keys) {
		for (LockKey key : keys) {
			this.index.forEach(key.encoded(),
					(queue) -> queue.waiting().forEach((waiter) -> enterAgain(queue, waiter)));
		}
	}

	/**
	 * Treat a waiter as if it came now. Looks into other queues, so not under the monitor
	 * of one.
	 */
	private void enterAgain(KeyQueue queue, Waiter waiter) {
		if (!(waiter.owner instanceof LockOwner owner) || !Reentrance.mayHold(waiter)) {
			return;
		}
		try {
			Grant held = this.index.reentrance.enterable(waiter);
			if (held != null && queue.leave(waiter) && !KeyQueue.of(held).enterPart(waiter)) {
				enter(waiter);
			}
			else if (held == null && this.index.reentrance.dividesSet(waiter) && queue.leave(waiter)) {
				waiter.settle(SetDividedException::new);
			}
			else if (held == null && waiter.terms.mode == LockMode.READ && queue.hasBeside(waiter.keys, owner)) {
				queue.wakeUp(null);
			}
		}
		catch (Throwable ex) {
			// The owner reads and cannot write, or cannot be compared.
			if (queue.leave(waiter)) {
				waiter.settle(Failure.of(ex));
			}
		}
	}

	/** The queue that a waiter has to enter. */
	private KeyQueue of(Waiter waiter) {
		String id = id(waiter);
		KeyQueue known = this.index.all.get(id);
		if (known != null) {
			return known;
		}
		if (waiter.terms.mode == LockMode.EXCLUSIVE && waiter.keys.size() == 1) {
			// Most queues live for one hold. Two made at once cost less than an exact
			// map.
			KeyQueue made = new KeyQueue(this.index, waiter.keys.get(0));
			KeyQueue other = this.index.all.putIfAbsent(id, made);
			return (other != null) ? other : made;
		}
		return this.index.all.computeIfAbsent(id, (missing) -> create(missing, waiter));
	}

	/**
	 * Return the id of a queue. An encoded key has no line feed; a set has one only
	 * between two keys.
	 */
	private String id(Waiter waiter) {
		LockMode mode = waiter.terms.mode;
		if (mode == LockMode.EXCLUSIVE) {
			return (waiter.keys.size() == 1) ? waiter.keys.get(0).encoded() : LockKeys.id(waiter.keys);
		}
		if (mode == LockMode.SEMAPHORE && !waiter.isOnce()) {
			return "\n" + waiter.terms.permits + "\n" + LockKeys.id(waiter.keys);
		}
		return "\n" + this.numbers.incrementAndGet();
	}

	private KeyQueue create(String id, Waiter waiter) {
		LockMode mode = waiter.terms.mode;
		OtherQueue queue = new OtherQueue(this.index, id, this.numbers.incrementAndGet(), waiter.keys, mode);
		queue.add(mode == LockMode.EXCLUSIVE || (mode == LockMode.SEMAPHORE && !waiter.isOnce()));
		return queue;
	}

	/**
	 * Block until a waiter is settled. A thread on which answers come is refused, even if
	 * another thread brings this answer.
	 * @param interruptible {@code true} if an interrupt ends the wait
	 * @return the lease
	 * @throws InterruptedException if interrupted; nothing is left behind
	 */
	public GrantLease await(Waiter waiter, boolean interruptible) throws InterruptedException {
		if (waiter.wouldWaitForItself()) {
			dismiss(waiter, () -> Failure.answeredHere("wait for", waiter.keys));
		}
		boolean interrupted = false;
		while (!waiter.park()) {
			if (interruptible) {
				dismiss(waiter);
				throw new InterruptedException(
						"Interrupted while waiting for lock '" + LockKeys.describe(waiter.keys) + "'");
			}
			interrupted = true;
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		return new GrantLease(waiter.result());
	}

	/** Settle a waiter that gives up. If this fails, it is settled by then. */
	public boolean giveUp(Waiter waiter, Failure reason) {
		KeyQueue joined = waiter.place;
		return joined != null && joined.giveUp(waiter, reason);
	}

	/** Leave nothing behind of a waiter whose thread has given up. */
	public void dismiss(Waiter waiter) {
		dismiss(waiter, () -> new IllegalStateException("The waiter has given up"));
	}

	/** Leave nothing of a waiter behind: neither an entry in the queue nor a hold. */
	public void dismiss(Waiter waiter, Failure reason) {
		KeyQueue joined = waiter.place;
		if (joined != null) {
			joined.leave(waiter);
		}
		Hold got = waiter.settle(reason) ? waiter.entered() : waiter.withdraw(reason);
		if (got != null) {
			KeyQueue.drop(got);
		}
	}

}
