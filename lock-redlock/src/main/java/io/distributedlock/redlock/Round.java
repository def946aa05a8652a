package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.store.Ownership;
import org.jspecify.annotations.Nullable;

/**
 * A command to all nodes at once, decided as soon as the answers suffice. If it can be
 * decided without the silent nodes, they have only the node time-out. If not, they have
 * the time-out of a command: there is nothing to gain by asking the same ones again.
 * Answers that come after the decision go to {@link #late}.
 *
 * @param <T> the answer of a node
 * @param <R> the decision
 */
abstract class Round<T, R> extends CompletableFuture<R> {

	final Quorum quorum;

	private final List<@Nullable Answer<T>> answers;

	private final List<CompletableFuture<T>> asked;

	private Runnable alarm = () -> {
	};

	/** Set when the node time-out is over. */
	private boolean overdue;

	/**
	 * Set when the time-out of a command is over: the round waits for no node any longer.
	 */
	private boolean exhausted;

	private boolean decided;

	Round(Quorum quorum) {
		this.quorum = quorum;
		this.answers = new ArrayList<>(Collections.nCopies(quorum.size(), null));
		this.asked = new ArrayList<>(quorum.size());
	}

	/**
	 * Decide if the answers suffice. Called under the monitor.
	 * @param effects gets the tasks to run outside of it
	 * @return the decision, or {@code null} if it is still open
	 */
	abstract @Nullable Answer<R> judge(List<Runnable> effects);

	/** Handle an answer that came after the decision. Called outside the monitor. */
	void late(int index, Answer<T> answer) {
	}

	/** Start the node time-out, and after it the rest of the time-out of a command. */
	final void limit(Duration nodeTimeout) {
		schedule(nodeTimeout, () -> {
			pass(false);
			if (!isDone()) {
				Duration rest = this.quorum.patience().minus(nodeTimeout);
				schedule(rest.isNegative() ? Duration.ZERO : rest, () -> pass(true));
			}
		});
	}

	private void schedule(Duration delay, Runnable task) {
		Runnable scheduled = this.quorum.timer().schedule(delay, task);
		synchronized (this) {
			if (!this.decided) {
				this.alarm = scheduled;
				return;
			}
		}
		scheduled.run();
	}

	private void pass(boolean last) {
		synchronized (this) {
			this.overdue = true;
			this.exhausted = last;
		}
		reconsider();
	}

	/** Add a command to a node. Its answer may decide the round at once. */
	final void asked(int index, CompletableFuture<T> future) {
		synchronized (this) {
			this.asked.add(future);
		}
		future.whenComplete((value, ex) -> landed(index, (ex != null) ? Answer.failed(ex) : Answer.of(value)));
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

	/** Withdraw the commands that were not sent yet. */
	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		List<CompletableFuture<T>> open;
		synchronized (this) {
			this.decided = true;
			open = List.copyOf(this.asked);
		}
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		stopAlarm();
		if (cancelled) {
			open.forEach((future) -> future.cancel(mayInterruptIfRunning));
		}
		return cancelled;
	}

	final int size() {
		return this.answers.size();
	}

	final @Nullable Answer<T> answer(int index) {
		return this.answers.get(index);
	}

	/** Replace an answer that no longer counts. Called under the monitor. */
	final void replace(int index, @Nullable Answer<T> answer) {
		this.answers.set(index, answer);
	}

	final boolean isExhausted() {
		return this.exhausted;
	}

	/** Return the number of nodes with an answer of some kind. */
	final int count(Predicate<? super T> kind) {
		int count = 0;
		for (Answer<T> answer : this.answers) {
			count += (answer != null && answer.value() != null && kind.test(answer.value())) ? 1 : 0;
		}
		return count;
	}

	/**
	 * Return the ownership by all answers together, or {@code null} if it is still open.
	 * If too few nodes have the request, it is expired if a majority has it or had it
	 * until its lease ran out. A node that never had it also answers {@code EXPIRED} if
	 * it was abandoned there, which does not count.
	 * @param held the state of the request; {@code null} if it has ended before, and then
	 * each node counts
	 */
	final @Nullable Ownership ownership(@Nullable Held held) {
		int majority = this.quorum.majority();
		int owners = count(Ownership.HELD::equals);
		if (owners >= ((held != null) ? held.needed : majority)) {
			return Ownership.HELD;
		}
		if (reached() - owners <= size() - majority) {
			return null;
		}
		int had = owners + expired(held);
		if (had >= majority) {
			return Ownership.EXPIRED;
		}
		boolean certain = reached() - had > size() - majority || reached() + failed() == size();
		return (certain || doesWithoutSilent(majority)) ? Ownership.LOST : null;
	}

	/** Return the number of nodes that had the request until its lease ran out. */
	private int expired(@Nullable Held held) {
		int count = 0;
		for (int i = 0; i < size(); i++) {
			Answer<T> answer = this.answers.get(i);
			boolean had = held == null || held.isApplied(i);
			count += (had && answer != null && answer.value() == Ownership.EXPIRED) ? 1 : 0;
		}
		return count;
	}

	/** Return the number of nodes that have answered without a failure. */
	final int reached() {
		return count((value) -> true);
	}

	final int failed() {
		return (int) this.answers.stream().filter((answer) -> answer != null && answer.failure() != null).count();
	}

	/** Return whether the round is decided without the silent nodes. */
	final boolean doesWithoutSilent(int needed) {
		return this.exhausted || (this.overdue && reached() >= needed);
	}

	/**
	 * Return the failure if too few nodes can be reached. Its message names the nodes
	 * that have failed. It names a silent node only after the time-out of a command:
	 * until then the node may be well.
	 * @param what the command, for the message
	 * @param taker the lock that takes so many nodes, for the message
	 * @return misconfigured if too few nodes are left without the misconfigured ones
	 */
	final <V> Answer<V> unavailable(String what, String taker, int needed) {
		List<String> reasons = new ArrayList<>();
		List<LockStoreException> failures = new ArrayList<>();
		for (int i = 0; i < size(); i++) {
			Answer<T> answer = this.answers.get(i);
			String name = this.quorum.members().get(i).node.name();
			if (answer != null && answer.failure() != null) {
				reasons.add(name + ": " + answer.failure().getMessage());
				failures.add(answer.failure());
			}
			else if (answer == null && this.exhausted) {
				reasons.add(name + ": no answer in time");
			}
		}
		List<LockStoreException> lasting = failures.stream()
			.filter((ex) -> ex.getKind() == Kind.MISCONFIGURED)
			.toList();
		List<LockStoreException> causes = lasting.isEmpty() ? failures : lasting;
		return Answer
			.failed(new LockStoreException((lasting.size() > size() - needed) ? Kind.MISCONFIGURED : Kind.UNAVAILABLE,
					"Cannot %s: %s takes %d of %d nodes, and %d failed: %s".formatted(what, taker, needed, size(),
							reasons.size(), String.join("; ", reasons)),
					causes.isEmpty() ? null : causes.get(causes.size() - 1)));
	}

	/**
	 * An answer of a node, or a decision.
	 *
	 * @param value the value, if there is one
	 * @param failure the failure, if there is one
	 * @param <T> the type of the value
	 */
	record Answer<T>(@Nullable T value, @Nullable LockStoreException failure) {

		static <T> Answer<T> of(@Nullable T value) {
			return new Answer<>(value, null);
		}

		static <T> Answer<T> failed(Throwable failure) {
			return new Answer<>(null, Member.failure(failure));
		}

	}

}
