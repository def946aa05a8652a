package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The waiters of a queue, first come first served, and the onlookers: single tries that
 * wait for the answer to the attempt of another waiter. Guarded by the queue.
 */
final class WaitingLine {

	private @Nullable Waiter first;

	private @Nullable Waiter last;

	private Set<Waiter> onlookers = Set.of();

	@Nullable Waiter first() {
		return this.first;
	}

	boolean isEmpty() {
		return this.first == null && this.onlookers.isEmpty();
	}

	void add(Waiter waiter) {
		waiter.line = this;
		waiter.previous = this.last;
		if (this.last != null) {
			this.last.next = waiter;
		}
		else {
			this.first = waiter;
		}
		this.last = waiter;
	}

	void addOnlooker(Waiter waiter) {
		if (this.onlookers.isEmpty()) {
			this.onlookers = new LinkedHashSet<>();
		}
		this.onlookers.add(waiter);
	}

	boolean contains(Waiter waiter) {
		return waiter.line == this || this.onlookers.contains(waiter);
	}

	/**
	 * Take a waiter or onlooker out.
	 * @return whether it was in
	 */
	boolean remove(Waiter waiter) {
		if (waiter.line != this) {
			return !this.onlookers.isEmpty() && this.onlookers.remove(waiter);
		}
		Waiter before = waiter.previous;
		Waiter behind = waiter.next;
		if (before != null) {
			before.next = behind;
		}
		else {
			this.first = behind;
		}
		if (behind != null) {
			behind.previous = before;
		}
		else {
			this.last = before;
		}
		waiter.line = null;
		waiter.previous = null;
		waiter.next = null;
		return true;
	}

	Set<Waiter> takeOnlookers() {
		Set<Waiter> taken = this.onlookers;
		this.onlookers = Set.of();
		return taken;
	}

	/** Where only onlookers are left, the first of them becomes the head. */
	void promoteOnlooker() {
		if (this.first == null && !this.onlookers.isEmpty()) {
			Waiter next = this.onlookers.iterator().next();
			this.onlookers.remove(next);
			add(next);
		}
	}

	/** The waiters, then the onlookers. */
	List<Waiter> all() {
		List<Waiter> all = new ArrayList<>();
		for (Waiter waiter = this.first; waiter != null; waiter = waiter.next) {
			all.add(waiter);
		}
		all.addAll(this.onlookers);
		return all;
	}

}
