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
 * A question to all nodes at once, decided as soon as the answers suffice. Where it can
 * go on without some nodes, they have the node time-out; where it cannot, they have the
 * time of a command, since there is nothing to gain by asking the same ones again.
 * Answers that come after the decision go to {@link #late}.
 *
 * @param <T> what a node answers
 * @param <R> what is decided
 */
abstract class Round<T, R> extends CompletableFuture<R> {

	final Quorum quorum;

	private final List<@Nullable Answer<T>> answers;

	private final List<CompletableFuture<T>> asked;

	private Runnable alarm = () -> {
	};

	/** The node time-out is over. */
	private boolean overdue;

	/** The time of a command is over: the round waits for no node any longer. */
	private boolean exhausted;

	private boolean decided;

	Round(Quorum quorum) {
		this.quorum = quorum;
		this.answers = new ArrayList<>(Collections.nCopies(quorum.size(), null));
		this.asked = new ArrayList<>(quorum.size());
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

	/** Begin to count the time of the nodes, and then that of a command. */
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

	/** A node has been asked. What it answers may decide the round at once. */
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

	/** Withdraw what was not sent yet. */
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

	/** An answer does not stand any more. Called under the monitor. */
	final void replace(int index, @Nullable Answer<T> answer) {
		this.answers.set(index, answer);
	}

	final boolean isExhausted() {
		return this.exhausted;
	}

	/** How many nodes have given an answer of some kind. */
	final int count(Predicate<? super T> kind) {
		int count = 0;
		for (Answer<T> answer : this.answers) {
			count += (answer != null && answer.value() != null && kind.test(answer.value())) ? 1 : 0;
		}
		return count;
	}

	/**
	 * What the nodes say of a request together, or nothing yet. Where too few have it,
	 * its lease has run out if enough others had it until then. A node that never had it
	 * says the same of a request that was abandoned there, which does not count.
	 * @param held what is known of the request; {@code null} if it has ended before, and
	 * then each node counts
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

	/** On how many of the nodes that have had it the lease has run out. */
	private int expired(@Nullable Held held) {
		int count = 0;
		for (int i = 0; i < size(); i++) {
			Answer<T> answer = this.answers.get(i);
			boolean had = held == null || held.isApplied(i);
			count += (had && answer != null && answer.value() == Ownership.EXPIRED) ? 1 : 0;
		}
		return count;
	}

	/** How many nodes have answered, whatever it was. */
	final int reached() {
		return count((value) -> true);
	}

	final int failed() {
		return (int) this.answers.stream().filter((answer) -> answer != null && answer.failure() != null).count();
	}

	/** Whether a node that has not answered is done without. */
	final boolean doesWithoutSilent(int needed) {
		return this.exhausted || (this.overdue && reached() >= needed);
	}

	/**
	 * Too few nodes can be asked. Says which are to blame, and nothing of the others: one
	 * that has not answered yet when enough others have failed may be well.
	 * @param what what was attempted
	 * @param taker what takes so many nodes
	 * @return misconfigured if without those that are, too few are left
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
	 * What a node said, or what was decided.
	 *
	 * @param value the answer, if there is one
	 * @param failure what went wrong, if something did
	 * @param <T> what is answered
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
