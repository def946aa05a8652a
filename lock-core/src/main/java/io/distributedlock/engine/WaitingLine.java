package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** The waiters of a queue, first come first served. Guarded by the queue. */
abstract class WaitingLine {

	private @Nullable Waiter head;

	private Set<Waiter> behind = Set.of();

	/** Single attempts that wait for the answer to the attempt of another waiter. */
	private Set<Waiter> onlookers = Set.of();

	/** Time of the last useful answer of the store about the lock. */
	private long answeredAt = Long.MIN_VALUE;

	final void storeAnswered(long now) {
		this.answeredAt = now;
	}

	final boolean isAnsweredSince(long time) {
		return this.answeredAt >= time;
	}

	final @Nullable Waiter head() {
		return this.head;
	}

	/** Return the number of waiters behind the head. */
	final int behind() {
		return this.behind.size();
	}

	final boolean headTriesOnce() {
		return this.head != null && this.head.isOnce();
	}

	final boolean hasNone() {
		return this.head == null && this.onlookers.isEmpty();
	}

	final void add(Waiter waiter) {
		if (this.head == null) {
			this.head = waiter;
		}
		else {
			this.behind = with(waiter, this.behind);
		}
	}

	final void addOnlooker(Waiter waiter) {
		this.onlookers = with(waiter, this.onlookers);
	}

	private static Set<Waiter> with(Waiter added, Set<Waiter> waiters) {
		Set<Waiter> grown = waiters.isEmpty() ? new LinkedHashSet<>() : waiters;
		grown.add(added);
		return grown;
	}

	/**
	 * Remove a waiter or onlooker.
	 * @return {@code true} if it was in the line
	 */
	final boolean remove(Waiter waiter) {
		if (waiter == this.head) {
			removeHead();
			return true;
		}
		return (!this.behind.isEmpty() && this.behind.remove(waiter))
				|| (!this.onlookers.isEmpty() && this.onlookers.remove(waiter));
	}

	final Waiter removeHead() {
		Waiter removed = Objects.requireNonNull(this.head);
		this.head = this.behind.isEmpty() ? null : removeFirst(this.behind);
		return removed;
	}

	/**
	 * Hand the lock off to the head without the store. There are no onlookers while it is
	 * held here.
	 * @param handOff returns the action that follows, or {@code null} if the store has to
	 * be asked
	 * @return {@code true} if the head has the lock
	 */
	final boolean handOn(Function<Waiter, @Nullable Runnable> handOff, AfterUnlock effects) {
		Runnable handedOn = (this.head != null) ? handOff.apply(this.head) : null;
		if (handedOn == null) {
			return false;
		}
		removeHead();
		effects.add(handedOn);
		return true;
	}

	final void settleHead(Failure reason, AfterUnlock effects) {
		Waiter waiter = removeHead();
		effects.add(() -> waiter.settle(reason));
	}

	final void settleAll(Failure reason, AfterUnlock effects) {
		for (Waiter waiter : all()) {
			remove(waiter);
			effects.add(() -> waiter.settle(reason));
		}
	}

	private static Waiter removeFirst(Set<Waiter> waiters) {
		Waiter first = waiters.iterator().next();
		waiters.remove(first);
		return first;
	}

	final Set<Waiter> takeOnlookers() {
		Set<Waiter> taken = this.onlookers;
		this.onlookers = Set.of();
		return taken;
	}

	/** Make the first onlooker the head if only onlookers are left. */
	final void promoteOnlooker() {
		if (this.head == null && !this.onlookers.isEmpty()) {
			this.head = removeFirst(this.onlookers);
		}
	}

	/** Return the waiters, then the onlookers. */
	final List<Waiter> all() {
		List<Waiter> all = new ArrayList<>();
		if (this.head != null) {
			all.add(this.head);
		}
		all.addAll(this.behind);
		all.addAll(this.onlookers);
		return all;
	}

}
