package io.distributedlock.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockInspection;
import io.distributedlock.LockOptions;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCall;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.StoreNode;
import org.jspecify.annotations.Nullable;

/**
 * A store that keeps the state of each lock as a text, and replaces it if it is
 * unchanged: all modes. {@link CompareAndSwapLockStore} is the base for most back ends;
 * this one is for those that can do more:
 * <ul>
 * <li>{@linkplain #expect Expect} a state, so that a command needs no read before its
 * replacement.</li>
 * <li>Say in the answer to a replacement what is there in place of the expected
 * state.</li>
 * <li>Keep the owners beside the text, and {@linkplain Swap#busy(Stored) refuse} to take
 * a lock from an owner whose transaction commits at the moment.</li>
 * <li>Replace the states of {@linkplain #takesTogether several locks} all or none.</li>
 * <li>{@linkplain #run Run} commands on threads that may block.</li>
 * </ul>
 * <p>
 * The time in an expectation is a lower bound of the back end's, and the replacement
 * fails if the back end's is later by more than {@link Expected#within()}. The rules
 * decide with the lower bound: a lease that has run out by then has run out for the back
 * end as well. New leases end later by {@code within}, so that none ends before the time
 * that its holder counts from the moment when it sent its command. That bound is never
 * before the time when the expected text was written, unless the clock of the back end
 * goes back: a lease that begins later would be taken for one of before that, and cut to
 * its full length from then on.
 *
 * @since 0.1.0
 */
public abstract class StateLockStore implements LockStore, StoreMonitor {

	/** Admitted readers come first for a second, which the state has to outlive. */
	private static final Duration LEAST_RETENTION = Duration.ofSeconds(1);

	/** The pause of a forced release while an owner commits. */
	private static final long PAUSE_MILLIS = 20;

	/** The key of no lock, which has a name or a key. */
	private static final LockKey NO_LOCK = new LockKey("", "");

	private final Duration retention;

	/**
	 * Create a store.
	 * @param retention time to keep tokens and tombstones after a lease, from a second to
	 * 365 days
	 * @throws InvalidSettingException if the retention is shorter or longer
	 */
	protected StateLockStore(Duration retention) {
		InvalidSettingException.requireRange("retention", retention, LEAST_RETENTION, LockOptions.MAX_TTL);
		this.retention = retention;
	}

	/**
	 * Read the stored state of a lock. Must not block, unless {@link #run} allows it.
	 * @param key the lock
	 * @return the state as text, with the time of the back end when it was read; it fails
	 * with a {@link LockStoreException}
	 */
	protected abstract CompletableFuture<Stored> read(LockKey key);

	/**
	 * Replace the state of a lock, if it is the expected one. Must not block, unless
	 * {@link #run} allows it.
	 * @param replacement the state that is expected and the new one
	 * @return the answer, or a {@link LockStoreException} of kind {@code UNAVAILABLE} if
	 * it is not known whether the state was replaced: the engine repeats the command,
	 * which finds its own text or the old one
	 */
	protected abstract CompletableFuture<Swap> replace(Replacement replacement);

	/**
	 * Replace the states of several locks, each for itself, if it is the expected one.
	 * None takes a lock from an owner. By default one after the other, at once.
	 * @param replacements the replacements, each for another lock
	 * @return the answers in this order
	 */
	protected List<CompletableFuture<Swap>> replace(List<Replacement> replacements) {
		return replacements.stream().map(this::send).toList();
	}

	/**
	 * Read the states of several locks. Called only if the store
	 * {@linkplain #takesTogether takes them together}.
	 * @param keys the locks
	 * @return the states in this order
	 */
	protected CompletableFuture<List<Stored>> readTogether(List<LockKey> keys) {
		throw new UnsupportedOperationException("This store reads no keys together");
	}

	/**
	 * Replace the states of several locks in one step, all or none. Called only if the
	 * store {@linkplain #takesTogether takes them together}.
	 * @param expected the states that have to be there of all locks of a command, with
	 * one time
	 * @param replacements the new states of those that change, at least one
	 * @return an answer for each lock, in the order of the expected states: all are done,
	 * or none is
	 */
	protected CompletableFuture<List<Swap>> replaceTogether(Map<LockKey, Expected> expected,
			List<Replacement> replacements) {
		throw new UnsupportedOperationException("This store replaces no keys together");
	}

	/**
	 * Return the state that is likely to be there, to save a read.
	 * @param key the lock
	 * @return the state that was seen last, or {@code null} to read it first, as by
	 * default
	 */
	protected @Nullable Expected expect(LockKey key) {
		return null;
	}

	/**
	 * Run a command, which calls {@link #expect}, {@link #read} and {@link #replace}. By
	 * default at once, on the thread of the caller, who must not be blocked. A store
	 * whose driver blocks uses threads of its own.
	 * @param command the command; it does nothing if its caller has given up
	 */
	protected void run(Runnable command) {
		command.run();
	}

	/**
	 * Send a wake-up to an instance, which passes it on by {@link WakeUp#tell}. Does
	 * nothing by default: waiters poll. A store that overrides it adds wake-ups to its
	 * {@link #capabilities()}. Called after each change, before its command is answered,
	 * on the thread that completed the replacement: it must neither block nor throw. A
	 * message may get lost.
	 * @param wakeUp the message; {@link WakeUp#encoded()} is its text
	 */
	protected void wakeUp(WakeUp wakeUp) {
	}

	private <T> CompletableFuture<T> change(StateCommand<T> command) {
		try {
			run(() -> command.step(() -> begin(command)));
		}
		catch (RuntimeException ex) {
			command.answer.completeExceptionally(ex);
		}
		return command.answer;
	}

	/** Run a command on the expected states, or on those that are there. */
	private <T> void begin(StateCommand<T> command) {
		Plan<T> guessed = guess(command);
		if (guessed != null) {
			carryOut(command, guessed);
			return;
		}
		command.next(sendRead(command.keys), (stored) -> carryOut(command,
				command.plan(stored.stream().map(Expected::new).toList(), this.retention, Set.of())));
	}

	/**
	 * Plan a command on the expected states. A state that refuses the command, or that
	 * the command leaves as it is, has to be read: it may be another one.
	 */
	private <T> @Nullable Plan<T> guess(StateCommand<T> command) {
		List<Expected> expected = new ArrayList<>(command.keys.size());
		for (LockKey key : command.keys) {
			Expected one = expect(key);
			if (one == null) {
				return null;
			}
			expected.add(one);
		}
		try {
			Plan<T> plan = command.plan(expected, this.retention, Set.of());
			return plan.changes() ? plan : null;
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

	/**
	 * Replace the states, and again on what is there instead, unless the caller has given
	 * up. Answers that are there at once are no calls within calls.
	 */
	private <T> void carryOut(StateCommand<T> command, @Nullable Plan<T> plan) {
		Plan<T> next = plan;
		while (next != null && !command.answer.isDone()) {
			if (!next.changes()) {
				command.answer.complete(next.outcome());
				return;
			}
			CompletableFuture<List<Swap>> sent = send(command.keys, next);
			if (!sent.isDone() || sent.isCompletedExceptionally()) {
				Plan<T> last = next;
				command.next(sent, (swaps) -> carryOut(command, answered(command, last, swaps)));
				return;
			}
			next = answered(command, next, sent.join());
		}
	}

	/** Return how to attempt a command again, or {@code null} if it is done or waits. */
	private <T> @Nullable Plan<T> answered(StateCommand<T> command, Plan<T> plan, List<Swap> swaps) {
		if (swaps.stream().allMatch(Swap::isDone)) {
			done(command, plan);
			return null;
		}
		Set<LockKey> committing = new HashSet<>();
		for (int i = 0; i < swaps.size(); i++) {
			if (swaps.get(i).isBusy()) {
				committing.add(command.keys.get(i));
			}
		}
		if (!committing.isEmpty() && command.forced) {
			CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS, Runnable::run)
				.execute(() -> change(command));
			return null;
		}
		return command.plan(swaps.stream().map((swap) -> new Expected(swap.stored())).toList(), this.retention,
				committing);
	}

	private <T> void done(StateCommand<T> command, Plan<T> plan) {
		plan.replacements().forEach((each) -> each.wakeUps().forEach(this::wakeUp));
		command.answer.complete(plan.outcome());
	}

	/** Read texts. A back end that throws fails the future, by an Error too. */
	private CompletableFuture<List<Stored>> sendRead(List<LockKey> keys) {
		return StoreCall.send(() -> (keys.size() == 1) ? read(keys.get(0)).thenApply(List::of) : readTogether(keys));
	}

	private CompletableFuture<List<Swap>> send(List<LockKey> keys, Plan<?> plan) {
		return StoreCall.send(() -> (keys.size() == 1) ? replace(plan.only()).thenApply(List::of)
				: replaceTogether(expected(keys, plan), plan.replacements()));
	}

	/** Return what is expected of each lock, with the time of the replacements. */
	private static Map<LockKey, Expected> expected(List<LockKey> keys, Plan<?> plan) {
		Expected any = plan.only().expected();
		Map<LockKey, Expected> expected = new LinkedHashMap<>();
		for (int i = 0; i < keys.size(); i++) {
			expected.put(keys.get(i), new Expected(plan.from().get(i).text(), any.micros(), any.within()));
		}
		return expected;
	}

	private CompletableFuture<Swap> send(Replacement replacement) {
		return StoreCall.send(() -> replace(replacement));
	}

	private List<CompletableFuture<Swap>> sendAll(List<Replacement> replacements) {
		try {
			return replace(replacements);
		}
		catch (Throwable ex) {
			return replacements.stream().map((each) -> CompletableFuture.<Swap>failedFuture(ex)).toList();
		}
	}

	private <T> CompletableFuture<T> reading(LockKey key, BiFunction<LockTable, Long, T> view) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		try {
			run(() -> sendRead(List.of(key)).thenApply((all) -> all.get(0))
				.thenApply((stored) -> view.apply(table(key, stored.text()), stored.micros()))
				.whenComplete((outcome, failure) -> {
					if (failure != null) {
						answer.completeExceptionally(failure);
					}
					else {
						answer.complete(outcome);
					}
				}));
		}
		catch (RuntimeException ex) {
			answer.completeExceptionally(ex);
		}
		return answer;
	}

	private LockTable table(LockKey key, @Nullable String text) {
		LockTable table = new LockTable(this.retention);
		if (text != null) {
			table.put(LockStateText.read(key, Lifetime.millis(this.retention), text));
		}
		return table;
	}

	/**
	 * Return all modes, and what the state keeps: handles, delays and several permits. A
	 * subclass adds to this set, which is new each time: {@link StoreCapability#WAKE_UPS}
	 * if it overrides {@link #wakeUp}, and {@link StoreCapability#CLAIMS} as well if it
	 * also learns when messages may not arrive, since the answer
	 * {@link AcquireOutcome.Busy#next()} relies on them. It calls
	 * {@link io.distributedlock.store.WakeUpListener#wakeUpsLost()} then.
	 */
	@Override
	public Set<StoreCapability> capabilities() {
		return EnumSet.of(StoreCapability.FAIR, StoreCapability.READ, StoreCapability.SEMAPHORE,
				StoreCapability.HANDLES, StoreCapability.LOCK_DELAY, StoreCapability.SEVERAL_PERMITS);
	}

	/**
	 * Return {@code false}: keys are taken one by one. A subclass that overrides it adds
	 * {@link StoreCapability#KEY_SETS} to its {@link #capabilities()}, and overrides
	 * {@link #readTogether} and {@link #replaceTogether}.
	 */
	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return false;
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return change(StateCommand.of(known(command.keys()), (micros, table) -> table.acquire(micros, command)));
	}

	/**
	 * Leases of one lock are renewed together, since one would change the other's state.
	 */
	@Override
	public final List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		Map<LockKey, KeyRenewals> byKey = new LinkedHashMap<>();
		List<CompletableFuture<Ownership>> answers = commands.stream()
			.map((command) -> byKey.computeIfAbsent(command.key(), KeyRenewals::new).add(command))
			.toList();
		changeAll(byKey.values().stream().map(KeyRenewals::toCommand).toList());
		return answers;
	}

	/** Change locks, each for itself, in one step where that is possible. */
	private <T> void changeAll(List<StateCommand<T>> changes) {
		if (changes.size() == 1) {
			change(changes.get(0));
			return;
		}
		try {
			run(() -> beginAll(changes));
		}
		catch (RuntimeException ex) {
			changes.forEach((each) -> each.answer.completeExceptionally(ex));
		}
	}

	/** Change the locks of one command, each for itself, and combine the answers. */
	private <T> CompletableFuture<T> changeEach(List<LockKey> keys, Function<LockKey, StateCommand<T>> change,
			BinaryOperator<T> both) {
		List<StateCommand<T>> changes = known(keys).stream().map(change).toList();
		changeAll(changes);
		CompletableFuture<T> answer = changes.stream()
			.map((each) -> each.answer)
			.reduce((one, other) -> one.thenCombine(other, both))
			.orElseThrow();
		answer.whenComplete((outcome, failure) -> changes.forEach((each) -> each.answer.cancel(false)));
		return answer;
	}

	/**
	 * Send the changes whose state is expected as one, and the others each for itself.
	 */
	private <T> void beginAll(List<StateCommand<T>> commands) {
		Map<StateCommand<T>, Plan<T>> guessed = new LinkedHashMap<>();
		for (StateCommand<T> command : commands) {
			Plan<T> plan = guess(command);
			if (plan != null && plan.isShared()) {
				guessed.put(command, plan);
			}
			else {
				change(command);
			}
		}
		sendAll(guessed, this::attemptAll);
	}

	/**
	 * Send as one what was refused: to plan many takes longer than a guess is good. A row
	 * that is refused again may be locked, and to wait for it must not delay the others.
	 */
	private <T> void attemptAll(Map<StateCommand<T>, Stored> refused) {
		Map<StateCommand<T>, Plan<T>> planned = new LinkedHashMap<>();
		refused.forEach((command, stored) -> command.step(() -> {
			Plan<T> plan = command.plan(List.of(new Expected(stored)), this.retention, Set.of());
			if (plan.isShared()) {
				planned.put(command, plan);
			}
			else {
				change(command);
			}
		}));
		sendAll(planned, (again) -> again.keySet().forEach(this::change));
	}

	/** Complete the commands that are done, and then pass on those that were refused. */
	private <T> void sendAll(Map<StateCommand<T>, Plan<T>> planned, Consumer<Map<StateCommand<T>, Stored>> next) {
		if (planned.isEmpty()) {
			return;
		}
		Map<StateCommand<T>, CompletableFuture<Swap>> swaps = new LinkedHashMap<>();
		Iterator<CompletableFuture<Swap>> sent = sendAll(planned.values().stream().map(Plan::only).toList()).iterator();
		planned.forEach((command, plan) -> {
			CompletableFuture<Swap> swap = sent.next();
			swaps.put(command, swap);
			command.next(swap, (answer) -> {
				if (answer.isDone()) {
					done(command, plan);
				}
			});
		});
		CompletableFuture.allOf(swaps.values().toArray(CompletableFuture[]::new)).whenComplete((all, failure) -> {
			Map<StateCommand<T>, Stored> refused = new LinkedHashMap<>();
			swaps.forEach((command, swap) -> {
				if (!swap.isCompletedExceptionally() && !swap.join().isDone()) {
					refused.put(command, swap.join().stored());
				}
			});
			next.accept(refused);
		});
	}

	@Override
	public final CompletableFuture<Ownership> extend(ExtendCommand command) {
		return changeEach(command.keys(), (key) -> {
			ExtendCommand one = command.of(List.of(key));
			return new StateCommand<>(key, null, (micros, table) -> table.extend(micros, one));
		}, Ownership::and);
	}

	/** A release by a handle takes the lock from its holder, which may commit. */
	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		boolean byHandle = command.marks().equals(RenewalMarks.ANY);
		return changeEach(command.keys(), (key) -> {
			ReleaseCommand one = new ReleaseCommand(List.of(key), command.request(), command.marks());
			StateCommand.Rule<Ownership> rule = (micros, table) -> table.release(micros, one);
			return byHandle ? StateCommand.forced(key, rule) : new StateCommand<>(key, command.request(), rule);
		}, Ownership::and);
	}

	@Override
	public final CompletableFuture<Void> abandon(AbandonCommand command) {
		CompletableFuture<Boolean> ended = changeEach(command.keys(), (key) -> {
			AbandonCommand one = new AbandonCommand(List.of(key), command.request(), command.successor(),
					command.waiting());
			return new StateCommand<>(key, command.request(), (micros, table) -> table.abandon(micros, one));
		}, Boolean::logicalAnd);
		CompletableFuture<Void> answer = ended.thenAccept((owned) -> {
		});
		answer.whenComplete((nothing, failure) -> ended.cancel(false));
		return answer;
	}

	@Override
	public final CompletableFuture<LockInspection> inspect(LockKey key) {
		return reading(key, (table, micros) -> table.inspect(micros, key));
	}

	@Override
	public final CompletableFuture<Integer> forceRelease(ForceReleaseCommand command) {
		return change(StateCommand.forced(command.key(), (micros, table) -> table.forceRelease(micros, command)));
	}

	@Override
	public final CompletableFuture<Void> setPermits(LockKey key, int permits) {
		return change(new StateCommand<>(key, null, (micros, table) -> {
			table.setPermits(micros, key, permits);
			return "";
		})).thenAccept((done) -> {
		});
	}

	/**
	 * Return the back end as one server, which has to answer a {@link #read}. A subclass
	 * that knows its servers names each.
	 */
	@Override
	public CompletableFuture<List<StoreNode>> nodes() {
		String name = getClass().getSimpleName();
		long start = System.nanoTime();
		return reading(NO_LOCK, (table, micros) -> System.nanoTime() - start)
			.orTimeout(commandTimeout().toNanos(), TimeUnit.NANOSECONDS)
			.handle((nanos,
					failure) -> List.of((failure == null) ? new StoreNode(name, Duration.ofNanos(nanos), null, "", null)
							: StoreNode.failed(name, new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
									"No usable answer from the back end of " + name + ": " + failure, failure))));
	}

	private List<LockKey> known(List<LockKey> keys) {
		if (keys.size() != 1 && !takesTogether(keys)) {
			throw new IllegalArgumentException("This store does not take %d keys together, such as %s"
				.formatted(keys.size(), keys.isEmpty() ? "none" : keys.get(0)));
		}
		return keys;
	}

	/**
	 * The text of a lock in the back end, and the time.
	 *
	 * @param text the text, or {@code null} if there is none
	 * @param micros the time of the back end in microseconds since 1970, exact to a
	 * millisecond, from the step that reads the text or after it. New tokens are at least
	 * this number, so that they grow on when the text was lost
	 */
	public record Stored(@Nullable String text, long micros) {
	}

	/**
	 * A state on which a command is decided.
	 *
	 * @param text the text, or {@code null} if there is none
	 * @param micros the time of the decision in microseconds: not later than the back
	 * end's, and not before its time when the text was written
	 * @param within how much later the back end's time may be when it replaces the text:
	 * a replacement outside of this time has to fail. Zero if the time was read with the
	 * text or after it: then the back end's time does not matter any more
	 */
	public record Expected(@Nullable String text, long micros, Duration within) {

		/**
		 * A state that was read.
		 * @param stored the state
		 */
		public Expected(Stored stored) {
			this(stored.text(), stored.micros(), Duration.ZERO);
		}

	}

	/**
	 * The new state of a lock.
	 *
	 * @param text the text, ASCII: about 200 characters, and up to 100 more for each
	 * waiter and for each contender that had the lock within the retention
	 * @param lifetime the time to keep it from now on, longer than any lease in it; the
	 * back end may drop it after that, but not before
	 * @param owners the requests that have the lock, alone or with others, until they end
	 * or it is taken from them: a lease that has run out does not end them
	 * @param token the last token
	 */
	public record Row(String text, Duration lifetime, List<RequestId> owners, long token) {
	}

	/**
	 * A step from one state of a lock to the next.
	 *
	 * @param key the lock; its {@linkplain LockKey#encoded() encoding} is unique and has
	 * at most {@value LockKey#MAX_BYTES} bytes
	 * @param expected the state that has to be there
	 * @param row the state that replaces it
	 * @param takes {@code true} if an owner loses the lock without having asked for it:
	 * its lease has run out, or the lock is taken away by force
	 * @param wakeUps messages to send if it was replaced, unless the store overrides
	 * {@link #wakeUp}
	 */
	public record Replacement(LockKey key, Expected expected, Row row, boolean takes, List<WakeUp> wakeUps) {
	}

	/**
	 * The answer to a replacement.
	 *
	 * @param isDone {@code true} if the state was replaced
	 * @param isBusy {@code true} if it was not, because it {@linkplain Replacement#takes
	 * takes} the lock from an owner whose transaction commits at the moment
	 * @param stored the state that is there now, with the time
	 */
	public record Swap(boolean isDone, boolean isBusy, Stored stored) {

		/**
		 * The state was replaced.
		 * @param stored the new state
		 * @return an answer
		 */
		public static Swap done(Stored stored) {
			return new Swap(true, false, stored);
		}

		/**
		 * Another state was there, or the time is another than expected.
		 * @param stored the state that is there
		 * @return an answer
		 */
		public static Swap refused(Stored stored) {
			return new Swap(false, false, stored);
		}

		/**
		 * An owner who would lose the lock commits. The owners whose leases have run out
		 * keep the lock for a moment then.
		 * @param stored the state that is there
		 * @return an answer
		 */
		public static Swap busy(Stored stored) {
			return new Swap(false, true, stored);
		}

	}

}
