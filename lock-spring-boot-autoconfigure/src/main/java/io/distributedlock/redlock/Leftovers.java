package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;

/**
 * What an attempt leaves on nodes that do not count in the end, and how that is ended: a
 * grant of too few nodes, or a waiter entry. An instance that waits has left its entry
 * where the lock was busy, and gives back the rest. What a request waits for by itself,
 * as readers and fair ones do, ends everywhere: its place would keep others out.
 */
final class Leftovers {

	private final AcquireCommand command;

	private final List<Member> members;

	Leftovers(AcquireCommand command, List<Member> members) {
		this.command = command;
		this.members = members;
	}

	/** Whether the attempt is that of a reader that waits. */
	boolean ofReader() {
		return this.command.mode() == LockMode.READ && waits();
	}

	private boolean waits() {
		return !this.command.waiting().isZero();
	}

	/** Whether a node has a waiter entry since it gave an answer. */
	boolean waitsAfter(Answer<AcquireOutcome> answer) {
		return answer.value() instanceof Busy && waits();
	}

	/** Whether a node may have something since it gave an answer. */
	boolean mayBeOf(Answer<AcquireOutcome> answer) {
		return answer.isFailure() || answer.value() instanceof Granted
				|| (answer.value() instanceof Busy && leavesEntryOfItsOwn());
	}

	private boolean leavesEntryOfItsOwn() {
		return ofReader() || (this.command.mode() == LockMode.FAIR && waits());
	}

	/**
	 * The request has the lock by the other nodes, and waits nowhere any more: a waiter
	 * entry that stays would be a turn that no request takes. The node takes it again at
	 * the next renewal.
	 */
	void leaveLine(int index) {
		abandon(index, Duration.ZERO);
	}

	/** Give back what a node may have granted, now or when it answers. */
	void giveBack(int index) {
		boolean waitsAsInstance = this.command.mode().isExclusive() && this.command.mode() != LockMode.FAIR;
		abandon(index, waitsAsInstance ? this.command.waiting() : Duration.ZERO);
	}

	private void abandon(int index, Duration waiting) {
		AbandonCommand end = new AbandonCommand(this.command.keys(), this.command.request(), null, waiting);
		this.members.get(index).ask((node) -> node.abandon(end));
	}

}
