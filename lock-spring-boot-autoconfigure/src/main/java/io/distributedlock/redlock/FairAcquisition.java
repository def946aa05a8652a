package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.Approach;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to get a fair lock. The queues of several nodes may be in different orders,
 * with another one first in each, so only one counts, on the first node that can be
 * reached; the request that it lets through claims the others.
 */
final class FairAcquisition extends Acquisition {

	private static final int MOST_SPLITS = 4;

	/** The order in which nodes are tried for the queue. */
	private final int[] order;

	/** Where in the order the queue is. */
	private int at;

	private boolean letThrough;

	FairAcquisition(QuorumState quorum, AcquireCommand command) {
		super(quorum, command);
		this.order = quorum.queueOrder();
	}

	@Override
	void start() {
		limit();
		ask(this.order[0], (node) -> node.acquire(this.command));
	}

	@Override
	@Nullable Answer<AcquireOutcome> judge(List<Runnable> effects) {
		return this.letThrough ? super.judge(effects) : judgeQueue(effects);
	}

	private @Nullable Answer<AcquireOutcome> judgeQueue(List<Runnable> effects) {
		Answer<AcquireOutcome> answer = answer(this.order[this.at]);
		if (answer != null && answer.value() instanceof Granted) {
			this.letThrough = true;
			beginAnew();
			effects.add(this::askOthers);
			return null;
		}
		if (answer != null && !answer.isFailure()) {
			return (answer.value() instanceof Busy busy && !this.command.waiting().isZero()) ? inLine(busy, effects)
					: answer;
		}
		if (isExhausted() || this.at + 1 == size()) {
			return (answer != null || isExhausted()) ? failure() : null;
		}
		if (answer != null || isOverdue()) {
			int next = this.order[++this.at];
			beginAnew();
			effects.add(this::limit);
			effects.add(() -> ask(next, (node) -> node.acquire(this.command)));
		}
		return null;
	}

	/** The waiters of the other nodes do not come before this request. */
	private void askOthers() {
		limit();
		for (int i = 0; i < size(); i++) {
			if (i != this.order[this.at]) {
				ask(i, (node) -> node.acquire(this.command.with(Approach.CLAIM)));
			}
		}
	}

	/**
	 * It is not its turn. If another queue had let it through before, which counted then,
	 * it must not keep what it has got by that: whose turn it is needs those nodes.
	 */
	private Answer<AcquireOutcome> inLine(Busy busy, List<Runnable> effects) {
		if (!this.quorum.held().dropMinority(this.command.request())) {
			effects.add(this::standInOtherLines);
			return new Answer<>(busy, null);
		}
		effects.add(() -> IntStream.range(0, size()).forEach(this.leftovers::giveBack));
		Duration pause = this.quorum.splits().next(this.command.keys(), SplitVotes.LONGEST);
		return new Answer<>(new Busy(busy.holder(), pause, busy.index(), true), null);
	}

	/**
	 * Requests that are not fair must find a waiter on every node.
	 */
	private void standInOtherLines() {
		for (int i = 0; i < size(); i++) {
			if (i != this.order[this.at]) {
				this.members.get(i).ask((node) -> node.acquire(this.command.with(Approach.STAND_IN_LINE)));
			}
		}
	}

	/**
	 * The holder of the others is about to release them, or never had the one with the
	 * queue; which of the two shows soon.
	 */
	@Override
	Duration pause(BusyVotes votes) {
		if (!votes.isSettled()) {
			return super.pause(votes);
		}
		this.quorum.splits().settled(this.command.keys());
		return this.quorum.handOffs().next(this.command.keys(), votes.freeAfter());
	}

	/**
	 * A request that was let through keeps its place, unless it and another one that has
	 * queued elsewhere stand in each other's way again and again.
	 */
	@Override
	boolean keepsMinority(BusyVotes votes) {
		return !this.command.waiting().isZero() && this.quorum.splits().inARow(this.command.keys()) < MOST_SPLITS;
	}

}
