package io.distributedlock.state;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockInspection;
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
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreMonitor;
import org.jspecify.annotations.Nullable;

/**
 * A store on any back end that can read the text under a key, and replace it if it is
 * unchanged: all modes, but no sets of keys. If another command has changed the text
 * first, a command reads the new text and runs again. Thread-safe, if the back end is.
 * <p>
 * The clock of the back end decides all changes of a lock. If each instance has a clock
 * of its own, a lock is only safe as far as these clocks agree.
 *
 * @since 0.1.0
 */
public abstract class CompareAndSwapLockStore implements LockStore, StoreMonitor {

	private final Duration retention;

	/**
	 * Create a store.
	 * @param retention time to keep tokens and tombstones
	 */
	protected CompareAndSwapLockStore(Duration retention) {
		this.retention = retention;
	}

	/**
	 * Read the stored state of a lock.
	 * @param key the lock
	 * @return the state as text, with the time of the back end when it was read; it fails
	 * with a {@link io.distributedlock.LockStoreException}
	 */
	protected abstract CompletableFuture<Stored> read(LockKey key);

	/**
	 * Replace the text of a lock, if it is unchanged.
	 * @param key the lock
	 * @param expected the text that was read, or {@code null} if there was none
	 * @param text the new text
	 * @param lifetime the time to keep it; the back end may drop it after that
	 * @return {@code true} if it was replaced, or a
	 * {@link io.distributedlock.LockStoreException} of kind {@code UNAVAILABLE} if that
	 * is not known
	 */
	protected abstract CompletableFuture<Boolean> replace(LockKey key, @Nullable String expected, String text,
			Duration lifetime);

	/**
	 * Send a wake-up to an instance, which passes it on by {@link WakeUp#tell}. Does
	 * nothing by default. A back end without wake-ups leaves them out of its
	 * {@link #capabilities()}, and waiters poll.
	 * @param wakeUp the message
	 */
	protected void wakeUp(WakeUp wakeUp) {
	}

	private <T> CompletableFuture<T> change(LockKey key, Change<T> change) {
		return read(key).thenCompose((stored) -> change(key, stored, change));
	}

	private LockTable table(LockKey key, Stored stored) {
		LockTable table = new LockTable(this.retention);
		if (stored.text() != null) {
			table.put(LockStateText.read(key, Lifetime.millis(this.retention), stored.text()));
		}
		return table;
	}

	private <T> CompletableFuture<T> change(LockKey key, Stored stored, Change<T> change) {
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
				return change(key, change);
			}
			table.takeWakeUps().forEach(this::wakeUp);
			return CompletableFuture.completedFuture(outcome);
		});
	}

	/** {@inheritDoc} A subclass without wake-ups leaves out claims as well. */
	@Override
	public Set<StoreCapability> capabilities() {
		return EnumSet.of(StoreCapability.FAIR, StoreCapability.READ, StoreCapability.SEMAPHORE,
				StoreCapability.WAKE_UPS, StoreCapability.CLAIMS);
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
		return change(only(command.keys()), (micros, table) -> table.abandon(micros, command)).thenAccept((owned) -> {
		});
	}

	@Override
	public final CompletableFuture<LockInspection> inspect(LockKey key) {
		return read(key).thenApply((stored) -> table(key, stored).inspect(stored.micros(), key));
	}

	@Override
	public final CompletableFuture<Integer> forceRelease(ForceReleaseCommand command) {
		return change(command.key(), (micros, table) -> table.forceRelease(micros, command));
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
	 * @param micros the time of the back end in microseconds, never before zero
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
