package io.distributedlock.state;

import io.distributedlock.LockMode;
import io.distributedlock.state.WaitingInstances.Claim;
import io.distributedlock.state.WaitingInstances.Waiter;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Which requests wait for a lock, and which of them comes first. Not thread-safe.
 */
final class Waiters {

	/** Where exclusive requests and those for permits wait. */
	final WaitingInstances instances = new WaitingInstances();

	final WaitingReaders readers = new WaitingReaders();

	final FairQueue fair = new FairQueue();

	/** Whether a request waits in its own name, or is admitted. */
	boolean haveNames() {
		return !this.readers.isEmpty() || !this.readers.admitted.isEmpty() || !this.fair.isEmpty();
	}

	boolean isEmpty() {
		return this.instances.isEmpty() && !haveNames();
	}

	/** How many entries count. */
	int count(long now) {
		long lasting = this.instances.waiters.stream().filter((each) -> each.lasts(now)).count();
		lasting += this.readers.entries().stream().filter((each) -> each.lasts(now)).count();
		lasting += this.fair.byTicket.values().stream().filter((each) -> each.lasts(now)).count();
		return (int) lasting + this.readers.admitted.size();
	}

	/** Remove expired entries. */
	void prune(long now) {
		this.instances.prune(now);
		this.readers.prune(now);
		this.fair.prune(now);
	}

	static boolean waitsAsInstance(AcquireCommand command) {
		return command.mode() == LockMode.EXCLUSIVE || command.mode() == LockMode.SEMAPHORE;
	}

	/**
	 * A request waits from now on.
	 * @param inPlace whether a fair one keeps its place
	 */
	void add(AcquireCommand command, boolean inPlace, long now) {
		RequestId request = command.request();
		long waiting = Lifetime.millis(command.waiting());
		Entry entry = new Entry(request, now + waiting);
		if (waitsAsInstance(command)) {
			this.instances.join(new Waiter(request.instance(), now + waiting, false, Claim.of(command)), now);
		}
		else if (command.mode() == LockMode.READ) {
			this.readers.add(entry);
		}
		else {
			this.fair.add(entry, inPlace);
		}
	}

	/** The request waits no more; whether it did in its own name. */
	boolean remove(RequestId request) {
		boolean waited = this.readers.remove(request);
		return this.fair.remove(request) || waited;
	}

	/** What a reader must not overtake. */
	@Nullable Obstacle beforeReader(RequestId request, long now) {
		Entry head = this.fair.head();
		long last = Math.max((head != null) ? head.until() : 0, this.instances.end(now));
		return (last == 0 || this.readers.admitted.contains(request)) ? null : new Obstacle("", last);
	}

	/** What an exclusive request must not overtake. */
	@Nullable Obstacle beforeWriter(RequestId request) {
		if (!this.readers.admitted.isEmpty()) {
			return new Obstacle("", this.readers.phase.deadline());
		}
		Entry head = this.fair.head();
		return (head == null || head.request().equals(request)) ? null : new Obstacle("", head.until());
	}

	/** Whether it is the turn of readers, once the lock can be had. */
	boolean areReadersNext(boolean fromWriter) {
		return !this.readers.isEmpty() && (fromWriter || (this.fair.isEmpty() && this.instances.isEmpty()));
	}

}
