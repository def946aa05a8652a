package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** The waiters of a queue, first come first served. Guarded by the queue. */
abstract class WaitingLine {

	private @Nullable Waiter head;

	private Set<Waiter> behind = Set.of();

	/** Single tries that wait for the answer to the attempt of another waiter. */
	private Set<Waiter> onlookers = Set.of();

	final @Nullable Waiter head() {
		return this.head;
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
	 * Take a waiter or onlooker out.
	 * @return whether it was in
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

	/** Where only onlookers are left, the first of them becomes the head. */
	final void promoteOnlooker() {
		if (this.head == null && !this.onlookers.isEmpty()) {
			this.head = removeFirst(this.onlookers);
		}
	}

	/** The waiters, then the onlookers. */
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
