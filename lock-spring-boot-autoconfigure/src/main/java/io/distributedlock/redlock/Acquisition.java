package io.distributedlock.redlock;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.RaiseCommand;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get a lock. When enough nodes have granted it, the largest of their
 * tokens is written back to enough of them before the lock is handed out: the next holder
 * meets it on at least one node and gets a larger one. With the largest token alone it
 * may have come from a node that the next one does not meet.
 */
class Acquisition extends Round<AcquireOutcome, AcquireOutcome> {

	final QuorumState quorum;

	final AcquireCommand command;

	final int needed;

	final Leftovers leftovers;

	private final long sentAt;

	/** Nodes that were asked to raise their token, and those that have. */
	private final BitSet raising = new BitSet();

	private final BitSet raised = new BitSet();

	/** The token to hand out, or nothing before enough nodes have granted the lock. */
	private @Nullable Long token;

	private @Nullable Held held;

	/** It has failed, and what nodes grant after that is abandoned. */
	private boolean givenBack;

	Acquisition(QuorumState quorum, AcquireCommand command) {
		super(quorum.members(), quorum.timer());
		this.quorum = quorum;
		this.command = command;
		this.needed = Quorum.needed(command.mode(), command.permits(), size());
		this.leftovers = new Leftovers(command, quorum.members());
		this.sentAt = this.timer.nanos();
	}

	void start() {
		limit();
		askAll((node) -> node.acquire(this.command));
	}

	final void limit() {
		limit(this.quorum.settings().timeout(this.command.ttl()), this.quorum.patience());
	}

	@Override
	@Nullable Answer<AcquireOutcome> judge(List<Runnable> effects) {
		if (this.token == null && granted() >= this.needed) {
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
		}
		int open = doesWithoutSilent(this.needed) ? 0 : size() - reached() - failed();
		if (granted() + open >= this.needed) {
			return null;
		}
		if (reached() >= this.needed) {
			return lost(effects);
		}
		return (isExhausted() || failed() > size() - this.needed) ? failure() : null;
	}

	private int granted() {
		return (int) IntStream.range(0, size()).filter(this::isGranted).count();
	}

	final boolean isGranted(int index) {
		Answer<AcquireOutcome> answer = answer(index);
		return answer != null && answer.value() instanceof Granted;
	}

	/**
	 * The largest token; of a request that holds the lock already, and validly so that no
	 * other can have come in between, the one that it has got.
	 */
	private long chooseToken() {
		Held before = this.quorum.held().get(this.command.request());
		if (before != null && before.validUntil() - this.timer.nanos() > 0) {
			return before.token;
		}
		long largest = 0;
		for (int i = 0; i < size(); i++) {
			Answer<AcquireOutcome> answer = answer(i);
			if (answer != null && answer.value() instanceof Granted granted) {
				largest = Math.max(largest, granted.token());
			}
		}
		return largest;
	}

	private void raiseThoseBehind(long least, List<Runnable> effects) {
		for (int i = 0; i < size(); i++) {
			Answer<AcquireOutcome> answer = answer(i);
			if (answer == null || this.raising.get(i) || !(answer.value() instanceof Granted granted)) {
				continue;
			}
			this.raising.set(i);
			if (granted.token() >= least) {
				this.raised.set(i);
			}
			else {
				int index = i;
				effects.add(() -> raise(index, least));
			}
		}
	}

	private void raise(int index, long least) {
		this.members.get(index)
			.ask((node) -> node.raise(new RaiseCommand(this.command.keys(), this.command.request(), least)))
			.whenComplete((owner, ex) -> {
				synchronized (this) {
					if (ex == null && owner) {
						this.raised.set(index);
					}
					else {
						replace(index, new Answer<>(null, (ex != null) ? Member.failure(ex) : forgotten()));
					}
				}
				reconsider();
			});
	}

	/** Not a refusal, which would say that another process makes the same requests. */
	private static LockStoreException forgotten() {
		return new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "it has lost the lock that it had granted",
				null);
	}

	private void forgetOpenRaises() {
		for (int i = this.raising.nextSetBit(0); i >= 0; i = this.raising.nextSetBit(i + 1)) {
			if (!this.raised.get(i) && isGranted(i)) {
				replace(i, null);
			}
		}
	}

	private Answer<AcquireOutcome> won(long handedOut, List<Runnable> effects) {
		Held granted = new Held(this.command, handedOut, this.needed, this.sentAt);
		for (int i = 0; i < size(); i++) {
			Answer<AcquireOutcome> answer = answer(i);
			if (answer == null) {
				granted.asked(i);
			}
			else if (answer.isFailure()) {
				granted.failed(i);
			}
			else if (this.leftovers.waitsAfter(answer)) {
				int index = i;
				effects.add(() -> this.leftovers.leaveLine(index));
			}
		}
		this.held = granted;
		this.quorum.held().add(granted);
		this.quorum.splits().settled(this.command.keys());
		this.quorum.handOffs().settled(this.command.keys());
		return new Answer<>(new Granted(handedOut), null);
	}

	/** An outage is never a busy lock. The same request may be tried again. */
	final Answer<AcquireOutcome> failure() {
		return new Answer<>(null, unavailable("acquire " + this.command.keys(),
				Quorum.taker(this.command.mode(), this.command.permits()), this.needed));
	}

	private Answer<AcquireOutcome> lost(List<Runnable> effects) {
		BusyVotes votes = votes();
		if (votes.refused() > size() - this.needed || votes.busy().isEmpty()) {
			return new Answer<>(Refused.INSTANCE, null);
		}
		Duration pause = pause(votes);
		// What a node has ended is never used again, so the others must not keep it
		// either.
		boolean keeps = votes.refused() == 0 && keepsMinority(votes);
		if (keeps) {
			this.quorum.held().keepMinority(this.command.request());
		}
		else {
			giveBack(effects);
		}
		Busy one = votes.representative();
		return new Answer<>(new Busy(one.holder(), pause, one.index(), !keeps), null);
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

	/** How long to wait before the next attempt, if nothing is heard before. */
	Duration pause(BusyVotes votes) {
		SplitVotes splits = this.quorum.splits();
		Duration free = votes.freeAfter();
		if (makesRoom(votes)) {
			// Soon, so that it waits on all nodes when the writer has been.
			return splits.next(this.command.keys(), free);
		}
		if (votes.isSettled()) {
			splits.settled(this.command.keys());
			return free;
		}
		Duration longest = votes.maybeSettled() ? free : SplitVotes.LONGEST;
		Duration pause = splits.next(this.command.keys(), longest);
		return (pause.compareTo(free) < 0) ? pause : free;
	}

	/**
	 * Whether nodes that have granted the lock stay granted while this request waits:
	 * readers are not in each other's way. The waiter ends the request when it gives up.
	 */
	boolean keepsMinority(BusyVotes votes) {
		return this.leftovers.ofReader() && !makesRoom(votes);
	}

	/**
	 * Whether a reader that has some nodes is to let a writer go first that waits on the
	 * others, and gets no majority either while readers have one node each.
	 */
	private boolean makesRoom(BusyVotes votes) {
		return this.leftovers.ofReader() && granted() > 0 && !votes.areHeld();
	}

	/**
	 * The request must not be used again, since a later attempt could count what is given
	 * back meanwhile.
	 */
	private void giveBack(List<Runnable> effects) {
		this.givenBack = true;
		for (int i = 0; i < size(); i++) {
			Answer<AcquireOutcome> answer = answer(i);
			if (answer != null && this.leftovers.mayBeOf(answer)) {
				int index = i;
				effects.add(() -> this.leftovers.giveBack(index));
			}
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
			if (answer.isFailure()) {
				granted.failed(index);
			}
			granted.answered(index);
			if (this.leftovers.waitsAfter(answer)) {
				this.leftovers.leaveLine(index);
			}
			if (answer.value() instanceof Granted late && late.token() < granted.token) {
				raise(index, granted.token);
			}
		}
		else if (back && this.leftovers.mayBeOf(answer)) {
			this.leftovers.giveBack(index);
		}
	}

}
