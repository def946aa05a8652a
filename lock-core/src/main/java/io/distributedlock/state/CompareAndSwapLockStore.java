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
 * still the same: all modes, but no sets of keys. A command that another one has
 * overtaken is done again on what that has left. Thread-safe, if the back end is.
 * <p>
 * All that happens to a lock is decided by the clock of the back end. Where instances
 * have clocks of their own, a lock is as good as these agree.
 *
 * @since 0.1.0
 */
public abstract class CompareAndSwapLockStore implements LockStore, StoreMonitor {

	private final Duration retention;

	/**
	 * Create a store.
	 * @param retention how long tokens and ended requests are remembered
	 */
	protected CompareAndSwapLockStore(Duration retention) {
		this.retention = retention;
	}

	/**
	 * Read what is kept of a lock.
	 * @param key the lock
	 * @return the text and the time, or a {@link io.distributedlock.LockStoreException}
	 */
	protected abstract CompletableFuture<Stored> read(LockKey key);

	/**
	 * Replace what is kept of a lock, if it is still the same.
	 * @param key the lock
	 * @param expected what was read, or {@code null} if there was nothing
	 * @param text what is to be kept
	 * @param lifetime how long it has to be kept; it may be dropped then
	 * @return whether it was replaced, or a {@link io.distributedlock.LockStoreException}
	 * of kind {@code UNAVAILABLE} if that is not known
	 */
	protected abstract CompletableFuture<Boolean> replace(LockKey key, @Nullable String expected, String text,
			Duration lifetime);

	/**
	 * Send a wake-up to an instance, which there is to be {@linkplain WakeUp#tell told}.
	 * Does nothing by default; a back end that cannot send any says so by its
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

	/** {@inheritDoc} A subclass without wake-ups leaves these out as well. */
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
	 * What a back end keeps of a lock.
	 *
	 * @param text the text, or {@code null} if nothing is kept
	 * @param micros the time of the back end in microseconds, never before zero
	 */
	public record Stored(@Nullable String text, long micros) {
	}

	/**
	 * What a command does to a table of one lock.
	 *
	 * @param <T> its outcome
	 */
	@FunctionalInterface
	private interface Change<T> {

		T apply(long micros, LockTable table);

	}

}
