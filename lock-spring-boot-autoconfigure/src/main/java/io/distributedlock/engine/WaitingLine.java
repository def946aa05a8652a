package io.distributedlock.engine;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Who waits in a queue, first come first served. While nobody does, as with most locks
 * that are held, it is {@link #NOBODY} and costs nothing. What takes somebody in or out
 * says which line there is afterwards. Not thread-safe, but for {@code NOBODY}.
 */
final class WaitingLine {

	static final WaitingLine NOBODY = new WaitingLine(0);

	/** In order; who leaves is found without a search. */
	private final LinkedHashSet<Waiter> waiters;

	private WaitingLine(int capacity) {
		this.waiters = new LinkedHashSet<>(capacity);
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	int size() {
		return this.waiters.size();
	}

	@Nullable Waiter peek() {
		return isEmpty() ? null : getFirst();
	}

	/**
	 * The first.
	 * @throws java.util.NoSuchElementException if there is none
	 */
	Waiter getFirst() {
		return this.waiters.iterator().next();
	}

	WaitingLine with(Waiter waiter) {
		WaitingLine line = (this != NOBODY) ? this : new WaitingLine(2);
		line.waiters.add(waiter);
		return line;
	}

	WaitingLine without(Waiter waiter) {
		this.waiters.remove(waiter);
		return orNobody();
	}

	WaitingLine without(Predicate<Waiter> leaves) {
		this.waiters.removeIf(leaves);
		return orNobody();
	}

	List<Waiter> list() {
		return List.copyOf(this.waiters);
	}

	private WaitingLine orNobody() {
		return isEmpty() ? NOBODY : this;
	}

}
