package io.distributedlock.engine;

import java.util.ArrayDeque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Who waits in a queue, first come first served. Costs little while nobody does, as with
 * most locks that are held. Not thread-safe.
 */
final class WaitingLine {

	/** Nothing while nobody waits. */
	private @Nullable ArrayDeque<Waiter> waiters;

	boolean isEmpty() {
		return this.waiters == null;
	}

	@Nullable Waiter peek() {
		return (this.waiters != null) ? this.waiters.peek() : null;
	}

	Waiter getFirst() {
		if (this.waiters == null) {
			throw new NoSuchElementException("Nobody waits");
		}
		return this.waiters.getFirst();
	}

	void add(Waiter waiter) {
		if (this.waiters == null) {
			this.waiters = new ArrayDeque<>(2);
		}
		this.waiters.add(waiter);
	}

	/** Take out the first. */
	Waiter remove() {
		Waiter first = getFirst();
		remove(first);
		return first;
	}

	/**
	 * Take out one of them.
	 * @return false if it is not here
	 */
	boolean remove(Waiter waiter) {
		if (this.waiters == null) {
			return false;
		}
		boolean removed = this.waiters.remove(waiter);
		forgetIfEmpty();
		return removed;
	}

	void removeIf(Predicate<Waiter> leaves) {
		if (this.waiters != null) {
			this.waiters.removeIf(leaves);
			forgetIfEmpty();
		}
	}

	void clear() {
		this.waiters = null;
	}

	List<Waiter> list() {
		return (this.waiters != null) ? List.copyOf(this.waiters) : List.of();
	}

	private void forgetIfEmpty() {
		if (this.waiters != null && this.waiters.isEmpty()) {
			this.waiters = null;
		}
	}

}
