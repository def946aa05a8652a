package io.distributedlock.state;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.state.StateLockStore.Expected;
import io.distributedlock.state.StateLockStore.Replacement;
import io.distributedlock.state.StateLockStore.Row;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * A command on its way to change the state of one lock.
 *
 * @param <T> its outcome
 */
final class StateCommand<T> {

	/**
	 * The time for which owners keep a lock whose leases have run out while one of them
	 * commits.
	 */
	private static final long SPARE_MILLIS = 50;

	final LockKey key;

	/** The request that the command ends at its own wish, if any. */
	private final @Nullable RequestId ending;

	/** Set if the command takes the lock away from owners in any case. */
	final boolean forced;

	private final Rule<T> rule;

	final CompletableFuture<T> answer = new CompletableFuture<>();

	StateCommand(LockKey key, @Nullable RequestId ending, Rule<T> rule) {
		this(key, ending, false, rule);
	}

	private StateCommand(LockKey key, @Nullable RequestId ending, boolean forced, Rule<T> rule) {
		this.key = key;
		this.ending = ending;
		this.forced = forced;
		this.rule = rule;
	}

	static <T> StateCommand<T> forced(LockKey key, Rule<T> rule) {
		return new StateCommand<>(key, null, true, rule);
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
	 * Apply the rules.
	 * @param spares {@code true} if an owner commits: those whose leases have run out
	 * have the lock for a moment longer
	 */
	Plan<T> plan(Expected from, Duration retention, boolean spares) {
		long now = Math.floorDiv(from.micros(), 1000);
		LockTable table = new LockTable(retention, slack(from.within()));
		List<RequestId> before = List.of();
		if (from.text() != null) {
			LockState lock = LockStateText.read(this.key, Lifetime.millis(retention), from.text());
			if (spares) {
				lock.spare(SPARE_MILLIS, now);
			}
			before = lock.owners();
			table.put(lock);
		}
		T outcome = this.rule.apply(from.micros(), table);
		LockState changed = table.lock(this.key, now);
		String text = LockStateText.write(changed);
		if (changed.isForgotten(now) || text.equals(from.text())) {
			return new Plan<>(outcome, null);
		}
		List<RequestId> after = changed.owners();
		boolean takes = before.stream().anyMatch((owner) -> !owner.equals(this.ending) && !after.contains(owner));
		Row row = new Row(text, Duration.ofMillis(changed.expireAt - now), after, changed.token);
		return new Plan<>(outcome, new Replacement(this.key, from, row, takes, table.takeWakeUps()));
	}

	/**
	 * Return by how much leases have to end later. Times of the rules are whole
	 * milliseconds, rounded down.
	 */
	private static long slack(Duration within) {
		return within.isZero() ? 0 : within.toMillis() + 1;
	}

	/**
	 * The change of a command to a table of one lock.
	 *
	 * @param <T> the outcome of the command
	 */
	@FunctionalInterface
	interface Rule<T> {

		T apply(long micros, LockTable table);

	}

}
