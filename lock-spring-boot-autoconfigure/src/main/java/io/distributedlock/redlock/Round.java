package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.QuorumNode;
import org.jspecify.annotations.Nullable;

/**
 * A question to all nodes at once, decided as soon as the answers suffice. Where it can
 * go on without some nodes, they have the node time-out; where it cannot, they have the
 * time of a command, since there is nothing to gain by asking the same ones again.
 * Answers that come after the decision go to {@link #late}.
 *
 * @param <T> what a node answers
 * @param <R> what is decided
 */
abstract class Round<T, R> extends CompletableFuture<R> {

	final List<Member> members;

	final QuorumTimer timer;

	private final List<@Nullable Answer<T>> answers;

	private final List<@Nullable CompletableFuture<T>> asked;

	private Runnable alarm = () -> {
	};

	/** The node time-out is over. */
	private boolean overdue;

	/** The round waits for no node any longer. */
	private boolean exhausted;

	private boolean decided;

	Round(List<Member> members, QuorumTimer timer) {
		this.members = members;
		this.timer = timer;
		this.answers = new ArrayList<>(Collections.nCopies(members.size(), null));
		this.asked = new ArrayList<>(Collections.nCopies(members.size(), null));
	}

	/**
	 * Look whether the answers suffice. Called under the monitor.
	 * @param effects what to do outside of it
	 * @return what is decided, or nothing yet
	 */
	abstract @Nullable Answer<R> judge(List<Runnable> effects);

	/** An answer has come after the decision. Called outside the monitor. */
	void late(int index, Answer<T> answer) {
	}

	/** Set the limits of patience from now on. */
	final void limit(Duration nodeTimeout, Duration commandTimeout) {
		stopAlarm();
		schedule(nodeTimeout, () -> {
			if (pass(false)) {
				Duration rest = commandTimeout.minus(nodeTimeout);
				schedule(rest.isNegative() ? Duration.ZERO : rest, () -> pass(true));
			}
		});
	}

	private void schedule(Duration delay, Runnable task) {
		Runnable scheduled = this.timer.schedule(delay, task);
		synchronized (this) {
			if (!this.decided) {
				this.alarm = scheduled;
				return;
			}
		}
		scheduled.run();
	}

	/**
	 * Time is over: that of a node, or at last that of the command.
	 * @return whether it is undecided all the same
	 */
	final boolean pass(boolean last) {
		synchronized (this) {
			this.overdue = true;
			this.exhausted = last;
			if (!this.decided) {
				for (int i = 0; i < this.members.size(); i++) {
					if (this.asked.get(i) != null && this.answers.get(i) == null) {
						this.members.get(i).silent();
					}
				}
			}
		}
		reconsider();
		return !isDone();
	}

	final void askAll(Function<QuorumNode, CompletableFuture<T>> command) {
		for (int i = 0; i < this.members.size(); i++) {
			ask(i, command);
		}
	}

	/** Ask a node. What it answers may decide the round before this returns. */
	final void ask(int index, Function<QuorumNode, CompletableFuture<T>> command) {
		asked(index, this.members.get(index).ask(command));
	}

	/** A node has been asked. */
	final void asked(int index, CompletableFuture<T> future) {
		synchronized (this) {
			this.asked.set(index, future);
		}
		future.whenComplete((value, ex) -> landed(index,
				(ex != null) ? new Answer<>(null, Member.failure(ex)) : new Answer<>(value, null)));
		if (isCancelled()) {
			future.cancel(true);
		}
	}

	private void landed(int index, Answer<T> answer) {
		boolean late;
		synchronized (this) {
			late = this.decided;
			this.answers.set(index, answer);
		}
		if (late) {
			late(index, answer);
		}
		else {
			reconsider();
		}
	}

	final void reconsider() {
		List<Runnable> effects = new ArrayList<>(2);
		Answer<R> verdict;
		synchronized (this) {
			if (this.decided) {
				return;
			}
			verdict = judge(effects);
			this.decided = verdict != null;
		}
		effects.forEach(Runnable::run);
		if (verdict != null) {
			stopAlarm();
			if (verdict.failure() != null) {
				completeExceptionally(verdict.failure());
			}
			else {
				complete(verdict.value());
			}
		}
	}

	private void stopAlarm() {
		Runnable current;
		synchronized (this) {
			current = this.alarm;
		}
		current.run();
	}

	/** Withdraw what was not sent yet. */
	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		List<@Nullable CompletableFuture<T>> open;
		synchronized (this) {
			this.decided = true;
			open = new ArrayList<>(this.asked);
		}
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		stopAlarm();
		if (cancelled) {
			open.forEach((future) -> withdraw(future, mayInterruptIfRunning));
		}
		return cancelled;
	}

	private static void withdraw(@Nullable CompletableFuture<?> future, boolean mayInterruptIfRunning) {
		if (future != null) {
			future.cancel(mayInterruptIfRunning);
		}
	}

	final int size() {
		return this.members.size();
	}

	final @Nullable Answer<T> answer(int index) {
		return this.answers.get(index);
	}

	/** An answer does not stand any more. Called under the monitor. */
	final void replace(int index, @Nullable Answer<T> answer) {
		this.answers.set(index, answer);
	}

	/** Another node gets the time of its own. Called under the monitor. */
	final void beginAnew() {
		this.overdue = false;
	}

	final boolean isOverdue() {
		return this.overdue;
	}

	final boolean isExhausted() {
		return this.exhausted;
	}

	/** How many nodes have answered, whatever it was. */
	final int reached() {
		int reached = 0;
		for (Answer<T> answer : this.answers) {
			if (answer != null && !answer.isFailure()) {
				reached++;
			}
		}
		return reached;
	}

	final int failed() {
		int failed = 0;
		for (Answer<T> answer : this.answers) {
			if (answer != null && answer.isFailure()) {
				failed++;
			}
		}
		return failed;
	}

	/** Whether a node that has not answered is done without. */
	final boolean doesWithoutSilent(int needed) {
		return this.exhausted || (this.overdue && reached() >= needed);
	}

	/** Too few nodes can be asked at all. */
	final LockStoreException unavailable(String what, int needed) {
		return unavailable(what, "it", needed);
	}

	/** As {@link #unavailable(String, int)}, saying what it is that takes so many. */
	final LockStoreException unavailable(String what, String taker, int needed) {
		NodeFailures failures = new NodeFailures();
		for (int i = 0; i < size(); i++) {
			Answer<T> answer = this.answers.get(i);
			if (answer != null && answer.failure() != null) {
				failures.failed(this.members.get(i), answer.failure());
			}
			else if (answer == null && this.exhausted && this.asked.get(i) != null) {
				failures.silent(this.members.get(i));
			}
		}
		return failures.describe(what, taker, needed, size());
	}

}
