package io.distributedlock.redlock;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to get a lock. When enough nodes have granted it, the largest of their
 * tokens is written back to enough of them. Only then is the lock handed out. So the next
 * holder meets this token on at least one node and gets a larger one. Without that, the
 * token might be on one node alone, which the next holder does not meet.
 * <p>
 * The attempt ends its leftovers on nodes that do not count in the end: a grant of too
 * few nodes, and the waiter entry of a reader, which would keep others out. The entry
 * that an instance has left where the lock was busy stays.
 */
final class QuorumAcquisition extends Round<AcquireOutcome, AcquireOutcome> {

	private final AcquireCommand command;

	private final int needed;

	private final long sentAt;

	/**
	 * Nodes whose grant was compared with {@code token}; those in {@code raised} have it.
	 */
	private final BitSet raising = new BitSet();

	private final BitSet raised = new BitSet();

	/**
	 * The token to hand out, or {@code null} until enough nodes have granted the lock.
	 */
	private @Nullable Long token;

	private @Nullable Held held;

	/** Set when the grants were abandoned: later ones are abandoned too. */
	private boolean givenBack;

	QuorumAcquisition(Quorum quorum, AcquireCommand command) {
		super(quorum);
		this.command = command;
		this.needed = Quorum.needed(command.mode(), command.permits(), size());
		this.sentAt = quorum.timer().nanos();
	}

	QuorumAcquisition start() {
		limit(this.quorum.settings().timeout(this.command.ttl()));
		for (int i = 0; i < size(); i++) {
			asked(i, this.quorum.members().get(i).ask((node) -> node.acquire(this.command)));
		}
		return this;
	}

	@Override
	@Nullable Answer<AcquireOutcome> judge(List<Runnable> effects) {
		int granted = count(Granted.class::isInstance);
		if (this.token == null && granted >= this.needed) {
			this.token = chooseToken();
		}
		if (this.token != null) {
			raiseThoseBehind(this.token, effects);
			if (this.raised.cardinality() >= this.needed) {
				return won(this.token, effects);
			}
		}
		if (isExhausted()) {
			forgetOpenRaises();
			granted = count(Granted.class::isInstance);
		}
		int open = doesWithoutSilent(this.needed) ? 0 : size() - reached() - failed();
		if (granted + open >= this.needed) {
			return null;
		}
		if (reached() >= this.needed) {
			return lost(effects);
		}
		return (isExhausted() || failed() > size() - this.needed) ? unavailable("acquire " + this.command.keys(),
				Quorum.taker(this.command.mode(), this.command.permits()), this.needed) : null;
	}

	/**
	 * Return the largest token of the grants. A request with a valid lease keeps its
	 * token, because no other can have come in between. With spare tokens it gets a new
	 * one: they are for callers who may have asked later.
	 */
	private long chooseToken() {
		Held before = this.quorum.held().get(this.command.request());
		if (before != null && this.command.spareTokens() == 0 && before.isValid(this.quorum.timer().nanos())) {
			return before.token;
		}
		long largest = 0;
		for (int i = 0; i < size(); i++) {
			Granted granted = granted(i);
			largest = (granted != null) ? Math.max(largest, granted.token()) : largest;
		}
		return largest;
	}

	private static boolean isContended(AcquireOutcome outcome) {
		return outcome instanceof Granted granted && granted.contended();
	}

	private @Nullable Granted granted(int index) {
		Answer<AcquireOutcome> answer = answer(index);
		return (answer != null && answer.value() instanceof Granted granted) ? granted : null;
	}

	private void raiseThoseBehind(long least, List<Runnable> effects) {
		for (int i = 0; i < size(); i++) {
			Granted granted = granted(i);
			if (granted == null || this.raising.get(i)) {
				continue;
			}
			this.raising.set(i);
			if (granted.token() >= least) {
				this.raised.set(i);
			}
			else {
				int index = i;
				effects.add(() -> raise(index, least + this.command.spareTokens()));
			}
		}
	}

	private void raise(int index, long least) {
		member(index).raise(this.command.keys(), this.command.request(), least).whenComplete((owner, ex) -> {
			synchronized (this) {
				if (ex == null && owner) {
					this.raised.set(index);
				}
				else {
					replace(index, Answer.failed((ex != null) ? ex : forgotten()));
				}
			}
			reconsider();
		});
	}

	private Member member(int index) {
		return this.quorum.members().get(index);
	}

	/**
	 * Return a failure: a refusal would mean that another process makes the same
	 * requests.
	 */
	private static LockStoreException forgotten() {
		return new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "it has lost the lock that it had granted",
				null);
	}

	private void forgetOpenRaises() {
		for (int i = this.raising.nextSetBit(0); i >= 0; i = this.raising.nextSetBit(i + 1)) {
			if (!this.raised.get(i) && granted(i) != null) {
				replace(i, null);
			}
		}
	}

	private Answer<AcquireOutcome> won(long handedOut, List<Runnable> effects) {
		Held granted = new Held(this.command, handedOut, this.needed, this.sentAt);
		for (int i = 0; i < size(); i++) {
			int index = i;
			Answer<AcquireOutcome> answer = answer(i);
			if (answer == null) {
				granted.asked(i);
			}
			else if (answer.failure() != null) {
				granted.failed(i);
			}
			else if (answer.value() instanceof Granted) {
				granted.applied(i);
			}
			else {
				effects.add(() -> leaveLine(index, answer));
			}
		}
		this.held = granted;
		this.quorum.held().add(granted, this.quorum.timer().nanos());
		this.quorum.splits().settled(this.command.keys());
		return Answer.of(new Granted(handedOut, count(QuorumAcquisition::isContended) > 0));
	}

	private boolean waits() {
		return !this.command.waiting().isZero();
	}

	/**
	 * End the waiter entry on a node where the lock was busy, because the other nodes
	 * have granted it: the entry would be a turn that no request takes. The node takes
	 * the lock again at the next renewal.
	 */
	private void leaveLine(int index, Answer<AcquireOutcome> answer) {
		if (answer.value() instanceof Busy && waits()) {
			member(index).end(this.command.keys(), this.command.request(), Duration.ZERO);
		}
	}

	private Answer<AcquireOutcome> lost(List<Runnable> effects) {
		BusyVotes votes = votes();
		if (votes.refused() > size() - this.needed || votes.busy().isEmpty()) {
			return Answer.of(Refused.INSTANCE);
		}
		boolean reads = this.command.mode() == LockMode.READ && waits();
		// A reader with some nodes lets a writer that waits on the others go first.
		// Otherwise neither gets a majority while readers have one node each.
		boolean makesRoom = reads && count(Granted.class::isInstance) > 0 && !votes.areHeld();
		// Readers do not block each other, so a waiting one keeps its grants; its waiter
		// ends the request. A request that a node has ended is never used again.
		boolean keeps = reads && !makesRoom && votes.refused() == 0;
		if (!keeps) {
			giveBack(effects);
		}
		Busy one = votes.representative();
		return Answer.of(new Busy(one.holder(), pause(votes, makesRoom), one.index(), !keeps));
	}

	private BusyVotes votes() {
		BusyVotes votes = new BusyVotes(this.command.mode(), size(), this.needed);
		for (int i = 0; i < size(); i++) {
			Answer<AcquireOutcome> answer = answer(i);
			if (answer != null && answer.value() != null) {
				votes.add(answer.value());
			}
		}
		return votes;
	}

	/** Return the pause before the next attempt, if no wake-up comes before. */
	private Duration pause(BusyVotes votes, boolean makesRoom) {
		SplitVotes splits = this.quorum.splits();
		Duration free = votes.freeAfter();
		if (makesRoom) {
			// Soon, so that the reader waits on all nodes when the writer releases.
			return splits.next(this.command.keys(), free);
		}
		if (votes.isSettled()) {
			splits.settled(this.command.keys());
			return free;
		}
		long took = this.quorum.timer().nanos() - this.sentAt;
		Duration pause = splits.next(this.command.keys(), votes.maybeSettled() ? free : SplitVotes.longest(took));
		return (pause.compareTo(free) < 0) ? pause : free;
	}

	/**
	 * Abandon the grants. The request must not be used again, since a later attempt could
	 * count a grant that is abandoned meanwhile.
	 */
	private void giveBack(List<Runnable> effects) {
		this.givenBack = true;
		for (int i = 0; i < size(); i++) {
			int index = i;
			Answer<AcquireOutcome> answer = answer(i);
			if (answer != null) {
				effects.add(() -> giveBack(index, answer));
			}
		}
	}

	/** End the request on a node that may have granted it; an instance waits on there. */
	private void giveBack(int index, Answer<AcquireOutcome> answer) {
		boolean reads = this.command.mode() == LockMode.READ && waits();
		if (!(answer.value() instanceof Refused) && (reads || !(answer.value() instanceof Busy))) {
			boolean goesOn = this.command.mode() == LockMode.EXCLUSIVE;
			member(index).end(this.command.keys(), this.command.request(),
					goesOn ? this.command.waiting() : Duration.ZERO);
		}
	}

	@Override
	void late(int index, Answer<AcquireOutcome> answer) {
		Held granted;
		boolean back;
		synchronized (this) {
			granted = this.held;
			back = this.givenBack;
		}
		if (granted != null) {
			if (answer.failure() != null) {
				granted.failed(index);
			}
			granted.answered(index);
			leaveLine(index, answer);
			if (answer.value() instanceof Granted late) {
				granted.applied(index);
				if (late.token() < granted.token) {
					raise(index, granted.lastToken());
				}
			}
		}
		else if (back) {
			giveBack(index, answer);
		}
	}

}
