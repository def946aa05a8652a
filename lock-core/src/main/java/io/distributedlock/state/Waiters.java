package io.distributedlock.state;

import io.distributedlock.LockMode;
import io.distributedlock.state.WaitingLine.Claim;
import io.distributedlock.state.WaitingLine.Waiter;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The waiter entries of a lock, and their order. Not thread-safe.
 */
final class Waiters {

	/** Requests that wait for an exclusive lock or for a permit. */
	final WaitingLine line = new WaitingLine();

	final WaitingReaders readers = new WaitingReaders();

	final FairQueue fair = new FairQueue();

	/** Return whether a request waits in its own name, or is admitted. */
	boolean haveNames() {
		return !this.readers.isEmpty() || !this.readers.admitted.isEmpty() || !this.fair.isEmpty();
	}

	boolean isEmpty() {
		return this.line.isEmpty() && !haveNames();
	}

	/** Return the number of lasting entries and admitted readers. */
	int count(long now) {
		long lasting = this.line.waiters.stream().filter((each) -> each.lasts(now)).count();
		lasting += this.readers.entries().stream().filter((each) -> each.lasts(now)).count();
		lasting += this.fair.count(now);
		return (int) lasting + this.readers.admitted.size();
	}

	/** Remove expired entries. */
	void prune(long now) {
		this.line.prune(now);
		this.readers.prune(now);
		this.fair.prune(now);
	}

	static boolean waitsInLine(AcquireCommand command) {
		return command.mode() == LockMode.EXCLUSIVE || command.mode() == LockMode.SEMAPHORE;
	}

	/**
	 * Add or renew the waiter entry of a request.
	 * @param inPlace {@code true} if a fair request keeps its position in line
	 */
	void add(AcquireCommand command, boolean inPlace, boolean shared, long now, long retention) {
		RequestId request = command.request();
		long waiting = Lifetime.millis(command.waiting());
		if (waitsInLine(command)) {
			this.line.join(new Waiter(request, now + waiting, false, Claim.of(command)), shared, now);
		}
		else if (command.mode() == LockMode.READ) {
			this.readers.add(new Entry(request, now + waiting));
		}
		else if (command.claim().isZero()) {
			this.fair.add(request, now + waiting, inPlace);
		}
		else {
			this.fair.addWithSign(request, now + waiting, inPlace, now, retention);
		}
	}

	/** Remove a reader or a fair request; return whether it waited or was admitted. */
	boolean remove(RequestId request) {
		boolean waited = this.readers.remove(request);
		return this.fair.remove(request) || waited;
	}

	/** Return the obstacle of a reader: exclusive waiters that it must not overtake. */
	@Nullable Obstacle beforeReader(RequestId request, long now) {
		Entry head = this.fair.head();
		long last = Math.max((head != null) ? head.until() : 0, this.line.end(now));
		return (last == 0 || this.readers.admitted.contains(request)) ? null : new Obstacle(last);
	}

	/**
	 * Return the obstacle of an exclusive request: admitted readers, or the fair head.
	 */
	@Nullable Obstacle beforeWriter(RequestId request) {
		if (!this.readers.admitted.isEmpty()) {
			return new Obstacle("", this.readers.phase.deadline(), true);
		}
		Entry head = this.fair.head();
		return (head == null || head.request().equals(request)) ? null : new Obstacle(head.until());
	}

	/** Return whether readers come next when the lock is free. */
	boolean areReadersNext(boolean fromWriter) {
		return !this.readers.isEmpty() && (fromWriter || (this.fair.isEmpty() && this.line.isEmpty()));
	}

}
