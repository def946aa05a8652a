package io.distributedlock.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.state.StateLockStore.Expected;
import io.distributedlock.state.StateLockStore.Replacement;
import io.distributedlock.state.StateLockStore.Row;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * A command on its way to change the state of a lock, or of several in one step.
 *
 * @param <T> its outcome
 */
final class StateCommand<T> {

	/**
	 * The time for which owners keep a lock whose leases have run out while one of them
	 * commits.
	 */
	private static final long SPARE_MILLIS = 50;

	final List<LockKey> keys;

	/** The request that the command ends at its own wish, if any. */
	private final @Nullable RequestId ending;

	/** Set if the command takes the lock away from owners in any case. */
	final boolean forced;

	private final Rule<T> rule;

	final CompletableFuture<T> answer = new CompletableFuture<>();

	StateCommand(LockKey key, @Nullable RequestId ending, Rule<T> rule) {
		this(List.of(key), ending, false, rule);
	}

	private StateCommand(List<LockKey> keys, @Nullable RequestId ending, boolean forced, Rule<T> rule) {
		this.keys = keys;
		this.ending = ending;
		this.forced = forced;
		this.rule = rule;
	}

	static <T> StateCommand<T> forced(LockKey key, Rule<T> rule) {
		return new StateCommand<>(List.of(key), null, true, rule);
	}

	/** A command that ends no request, for one lock or several. */
	static <T> StateCommand<T> of(List<LockKey> keys, Rule<T> rule) {
		return new StateCommand<>(keys, null, false, rule);
	}

	/** Take a step, unless the caller has given up. If it throws, the command fails. */
	void step(Runnable step) {
		if (this.answer.isDone()) {
			return;
		}
		try {
			step.run();
		}
		catch (Throwable ex) {
			this.answer.completeExceptionally(ex);
		}
	}

	/** Take a step with the answer of the back end. */
	<A> void next(CompletableFuture<A> arriving, Consumer<A> step) {
		arriving.whenComplete((arrived, failure) -> {
			if (failure != null) {
				this.answer.completeExceptionally(failure);
			}
			else {
				step(() -> step.accept(arrived));
			}
		});
	}

	/**
	 * Apply the rules, at the latest time of the states.
	 * @param from the states of the locks, all guessed or all read
	 * @param spared the locks of which an owner commits: owners whose leases have run out
	 * have them for a moment longer
	 */
	Plan<T> plan(List<Expected> from, Duration retention, Set<LockKey> spared) {
		long micros = Long.MIN_VALUE;
		for (Expected each : from) {
			micros = Math.max(micros, each.micros());
		}
		Duration within = from.get(0).within();
		long now = Math.floorDiv(micros, 1000);
		LockTable table = new LockTable(retention, slack(within));
		List<List<RequestId>> before = new ArrayList<>(from.size());
		for (int i = 0; i < from.size(); i++) {
			before.add(put(table, this.keys.get(i), from.get(i).text(), retention, spared, now));
		}
		T outcome = this.rule.apply(micros, table);
		List<WakeUp> wakeUps = table.takeWakeUps();
		List<Replacement> replacements = new ArrayList<>(from.size());
		for (int i = 0; i < from.size(); i++) {
			LockKey key = this.keys.get(i);
			Expected expected = new Expected(from.get(i).text(), micros, within);
			LockState changed = table.lock(key, now);
			String text = LockStateText.write(changed);
			if (!changed.isForgotten(now) && !text.equals(expected.text())) {
				List<RequestId> after = changed.owners();
				Row row = new Row(text, Duration.ofMillis(changed.expireAt - now), after, changed.token);
				replacements.add(new Replacement(key, expected, row, takes(before.get(i), after), of(key, wakeUps)));
			}
		}
		return new Plan<>(outcome, from, replacements);
	}

	/** Put the state of a lock into the table, and return the owners. */
	private static List<RequestId> put(LockTable table, LockKey key, @Nullable String text, Duration retention,
			Set<LockKey> spared, long now) {
		if (text == null) {
			return List.of();
		}
		LockState lock = LockStateText.read(key, Lifetime.millis(retention), text);
		if (spared.contains(key)) {
			lock.spare(SPARE_MILLIS, now);
		}
		table.put(lock);
		return lock.owners();
	}

	private boolean takes(List<RequestId> before, List<RequestId> after) {
		return before.stream().anyMatch((owner) -> !owner.equals(this.ending) && !after.contains(owner));
	}

	private static List<WakeUp> of(LockKey key, List<WakeUp> wakeUps) {
		return wakeUps.stream().filter((each) -> each.key().equals(key)).toList();
	}

	/**
	 * Return by how much leases have to end later. Times of the rules are whole
	 * milliseconds, rounded down.
	 */
	private static long slack(Duration within) {
		return within.isZero() ? 0 : within.toMillis() + 1;
	}

	/**
	 * The change of a command to a table of its locks.
	 *
	 * @param <T> the outcome of the command
	 */
	@FunctionalInterface
	interface Rule<T> {

		T apply(long micros, LockTable table);

	}

}
