package io.distributedlock.state;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

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
import io.distributedlock.store.StoreCall;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.StoreNode;
import org.jspecify.annotations.Nullable;

/**
 * A store on any back end that can read the text under a key, and replace it if it is
 * unchanged: all modes, but no sets of keys. If another command has changed the text
 * first, a command reads the new text and runs again, at once, until its future is
 * cancelled: the engine does so at the {@linkplain #commandTimeout() time-out}. A read or
 * replacement that fails is not repeated: its command fails, and the engine decides.
 * Thread-safe, if the back end is.
 * <p>
 * Commands continue on the threads that complete the futures of {@link #read} and
 * {@link #replace}. If a blocked caller can keep these from running, as on an event loop,
 * override {@link #isAnsweredBy(Thread)}.
 * <table>
 * <caption>The clock that decides</caption>
 * <tr>
 * <th>back end</th>
 * <th>its clock</th>
 * <th>limits</th>
 * </tr>
 * <tr>
 * <td>a database</td>
 * <td>the server's, by the statement that reads the text</td>
 * <td>after a fail-over that of the new server: if it is ahead of the old one by more
 * than the fail-over took, it takes a lock that much before its lease ends</td>
 * </tr>
 * <tr>
 * <td>a cluster whose members run code, such as a data grid</td>
 * <td>that of the member that has the key, by the code that reads the text</td>
 * <td>the same, when a key moves to another member</td>
 * </tr>
 * <tr>
 * <td>one without a clock, such as etcd</td>
 * <td>the wall clock of each instance, when the text has been read</td>
 * <td>an instance whose clock is ahead takes a lock that much before its lease ends. Keep
 * the clocks together (NTP), leases much longer than they differ, and compare
 * {@linkplain AcquireOutcome.Granted#token() tokens} at the resource where two holders do
 * harm</td>
 * </tr>
 * </table>
 * A clock needs whole milliseconds, and the time since 1970 that restarts do not set
 * back. If it goes back, a lease may last longer by that, but never longer than its full
 * length from then on.
 *
 * @since 0.1.0
 */
public abstract class CompareAndSwapLockStore implements LockStore, StoreMonitor {

	/** Admitted readers come first for a second, which the state has to outlive. */
	private static final Duration LEAST_RETENTION = Duration.ofSeconds(1);

	/** The key of no lock, which has a name or a key. */
	private static final LockKey NO_LOCK = new LockKey("", "");

	private final Duration retention;

	/**
	 * Create a store.
	 * @param retention time to keep tokens and tombstones after a lease, from a second to
	 * 365 days; 60 seconds are usual. Longer than a copy of a command can be on its way,
	 * as {@link LockStore#acquire} explains
	 * @throws InvalidSettingException if the retention is shorter or longer
	 */
	protected CompareAndSwapLockStore(Duration retention) {
		InvalidSettingException.requireRange("retention", retention, LEAST_RETENTION, LockOptions.MAX_TTL);
		this.retention = retention;
	}

	/**
	 * Read the stored state of a lock. Must not block.
	 * @param key the lock
	 * @return the state as text, with the time of the back end when it was read; it fails
	 * with a {@link LockStoreException}
	 */
	protected abstract CompletableFuture<Stored> read(LockKey key);

	/**
	 * Replace the text of a lock, if it is unchanged. Must not block.
	 * @param key the lock; its {@linkplain LockKey#encoded() encoding} is unique and has
	 * at most {@value LockKey#MAX_BYTES} bytes
	 * @param expected the text that was read, or {@code null} if there was none
	 * @param text the new text, ASCII. It has about 200 characters, and up to 100 more
	 * for each waiter and for each contender that had the lock within the retention. It
	 * has no longest length: a back end that cannot keep it fails with a
	 * {@link LockStoreException} of kind {@code MISCONFIGURED}
	 * @param lifetime the time to keep it from now on, longer than any lease in it; the
	 * back end may drop it after that, but not before. Round it up where a back end
	 * counts in seconds
	 * @return {@code true} if it was replaced, {@code false} only if another text was
	 * there, or a {@link LockStoreException} of kind {@code UNAVAILABLE} if that is not
	 * known: the engine repeats the command, which finds its own text or the old one
	 */
	protected abstract CompletableFuture<Boolean> replace(LockKey key, @Nullable String expected, String text,
			Duration lifetime);

	/**
	 * Send a wake-up to an instance, which passes it on by {@link WakeUp#tell}. Does
	 * nothing by default: waiters poll. A store that overrides it adds wake-ups to its
	 * {@link #capabilities()}. Called after each change, before its command is answered,
	 * on the thread that completed {@link #replace}: it must neither block nor throw. A
	 * message may get lost.
	 * @param wakeUp the message; {@link WakeUp#encoded()} is its text
	 */
	protected void wakeUp(WakeUp wakeUp) {
	}

	private <T> CompletableFuture<T> change(LockKey key, Change<T> change) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		attempt(key, change, answer).whenComplete((outcome, failure) -> {
			if (failure != null) {
				answer.completeExceptionally(failure);
			}
			else {
				answer.complete(outcome);
			}
		});
		return answer;
	}

	/** Attempt a change, again and again unless its answer is cancelled. */
	private <T> CompletableFuture<T> attempt(LockKey key, Change<T> change, Future<T> answer) {
		return sendRead(key).thenCompose((stored) -> answer.isDone()
				? CompletableFuture.failedFuture(new CancellationException()) : attempt(key, stored, change, answer));
	}

	private CompletableFuture<Stored> sendRead(LockKey key) {
		return StoreCall.send(() -> read(key));
	}

	private LockTable table(LockKey key, Stored stored) {
		LockTable table = new LockTable(this.retention);
		if (stored.text() != null) {
			table.put(LockStateText.read(key, Lifetime.millis(this.retention), stored.text()));
		}
		return table;
	}

	private <T> CompletableFuture<T> attempt(LockKey key, Stored stored, Change<T> change, Future<T> answer) {
		LockTable table = table(key, stored);
		T outcome = change.apply(stored.micros(), table);
		long now = Math.floorDiv(stored.micros(), 1000);
		LockState changed = table.lock(key, now);
		String text = LockStateText.write(changed);
		if (changed.isForgotten(now) || text.equals(stored.text())) {
			return CompletableFuture.completedFuture(outcome);
		}
		return replace(key, stored.text(), text, Duration.ofMillis(changed.expireAt - now)).thenCompose((replaced) -> {
			if (!replaced) {
				return attempt(key, change, answer);
			}
			table.takeWakeUps().forEach(this::wakeUp);
			return CompletableFuture.completedFuture(outcome);
		});
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

	@Override
	public final boolean takesTogether(List<LockKey> keys) {
		return false;
	}

	@Override
	public final CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return change(only(command.keys()), (micros, table) -> table.acquire(micros, command));
	}

	@Override
	public final List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		return commands.stream()
			.map((command) -> change(command.key(), (micros, table) -> table.renew(micros, List.of(command)).get(0)))
			.toList();
	}

	@Override
	public final CompletableFuture<Ownership> extend(ExtendCommand command) {
		return change(only(command.keys()), (micros, table) -> table.extend(micros, command));
	}

	@Override
	public final CompletableFuture<Ownership> release(ReleaseCommand command) {
		return change(only(command.keys()), (micros, table) -> table.release(micros, command));
	}

	@Override
	public final CompletableFuture<Void> abandon(AbandonCommand command) {
		CompletableFuture<Boolean> ended = change(only(command.keys()),
				(micros, table) -> table.abandon(micros, command));
		CompletableFuture<Void> answer = ended.thenAccept((owned) -> {
		});
		answer.whenComplete((nothing, failure) -> ended.cancel(false));
		return answer;
	}

	@Override
	public final CompletableFuture<LockInspection> inspect(LockKey key) {
		return sendRead(key).thenApply((stored) -> table(key, stored).inspect(stored.micros(), key));
	}

	@Override
	public final CompletableFuture<Integer> forceRelease(ForceReleaseCommand command) {
		return change(command.key(), (micros, table) -> table.forceRelease(micros, command));
	}

	@Override
	public final CompletableFuture<Void> setPermits(LockKey key, int permits) {
		return change(key, (micros, table) -> {
			table.setPermits(micros, key, permits);
			return "";
		}).thenAccept((done) -> {
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
		return sendRead(NO_LOCK).thenApply((stored) -> System.nanoTime() - start)
			.orTimeout(commandTimeout().toNanos(), TimeUnit.NANOSECONDS)
			.handle((nanos,
					failure) -> List.of((failure == null) ? new StoreNode(name, Duration.ofNanos(nanos), null, "", null)
							: StoreNode.failed(name, new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
									"No usable answer from the back end of " + name + ": " + failure, failure))));
	}

	private static LockKey only(List<LockKey> keys) {
		if (keys.size() != 1) {
			throw new IllegalArgumentException("This store takes no keys together: " + keys);
		}
		return keys.get(0);
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
	 * The change of a command to a table of one lock.
	 *
	 * @param <T> the outcome of the command
	 */
	@FunctionalInterface
	private interface Change<T> {

		T apply(long micros, LockTable table);

	}

}
