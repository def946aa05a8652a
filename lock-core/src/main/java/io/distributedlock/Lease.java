package io.distributedlock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Proof that one holder has a lock, until it is closed or lost. Thread-safe, and not
 * bound to a thread unless the request named one as its owner.
 * <p>
 * {@link #isHeld()} is a local comparison with a monotonic clock. It turns {@code false}
 * before the store may give the lock to another holder, also when this process was
 * stopped. It also turns {@code false} when the wall clock shows that the machine was
 * suspended. It cannot protect the way from this process to a resource; only the resource
 * can, by refusing a {@linkplain #fencingToken() token} older than one it has seen.
 *
 * @since 0.1.0
 */
public interface Lease extends AutoCloseable {

	/**
	 * Return the lease of the innermost guarded body that the calling thread runs.
	 * {@link LockTemplate} and guarded methods set it; {@link LockRegistry#acquire} does
	 * not. Other threads do not have it, unless it was {@linkplain #wrap carried over}.
	 * It ends with the body: if it is closed before, the rest of the body runs without
	 * the lock.
	 * @return the lease, or empty outside a guarded body or if the body runs without a
	 * lock
	 */
	static Optional<Lease> current() {
		return Optional.ofNullable(CurrentLease.get());
	}

	/**
	 * Let an action that is handed to another thread belong to the guarded body of the
	 * calling thread: {@link #current()} is the same there, and transactions that begin
	 * in it roll back after a loss, as they do on the thread of the body. They also roll
	 * back if the lease was closed before their commit, so wrap only work that the result
	 * of the body waits for. The other thread does not own the lock: it cannot enter it
	 * again. <pre class="code">
	 * return CompletableFuture.runAsync(Lease.wrap(() -&gt; orders.ship(id)), executor);
	 * </pre>
	 * @param action the action to run on another thread
	 * @return the action with the leases of this thread, or the action itself outside a
	 * guarded body
	 */
	static Runnable wrap(Runnable action) {
		return CurrentLease.wrap(action);
	}

	/**
	 * As {@link #wrap(Runnable)} for an action with a result, as
	 * {@code CompletableFuture.supplyAsync} takes it. It has a name of its own, since a
	 * lambda would be ambiguous between the three methods.
	 * @param action the action to run on another thread
	 * @param <T> the type of the result
	 * @return the action with the leases of this thread, or the action itself outside a
	 * guarded body
	 */
	static <T extends @Nullable Object> Supplier<T> wrapSupplier(Supplier<T> action) {
		return CurrentLease.wrap(action);
	}

	/**
	 * As {@link #wrap(Runnable)} for an action with a result that may throw, as
	 * {@code ExecutorService.submit} takes it.
	 * @param action the action to run on another thread
	 * @param <T> the type of the result
	 * @return the action with the leases of this thread, or the action itself outside a
	 * guarded body
	 */
	static <T extends @Nullable Object> Callable<T> wrapCallable(Callable<T> action) {
		return CurrentLease.wrap(action);
	}

	/**
	 * The namespace of the keys.
	 * @return the name, maybe empty
	 */
	String name();

	/**
	 * The keys that are locked.
	 * @return at least one key, as the caller wrote it
	 */
	List<String> keys();

	/**
	 * The only key.
	 * @return the key as the caller wrote it
	 * @throws IllegalStateException if there are several
	 */
	default String key() {
		if (keys().size() != 1) {
			throw new IllegalStateException("This lease has several keys: %s. Ask for keys()".formatted(keys()));
		}
		return keys().get(0);
	}

	/**
	 * The fencing token: larger than every token handed out for this key before.
	 * Re-entrant leases have the same token. Fits 53 bits. With Redis it can be smaller
	 * for a while after the clock of the server was set back, also from a jump ahead. It
	 * happens only for a key that was idle for longer than {@code token-retention}, or
	 * was lost.
	 * @return the token, fixed at the acquisition
	 * @throws IllegalStateException if there are several keys without a common token; ask
	 * for {@linkplain #fencingToken(String) that of each}. Keys that the store took
	 * together, as a single Redis server always does, have a common one
	 */
	default long fencingToken() {
		if (keys().size() != 1) {
			throw new IllegalStateException(
					"This lease has several keys with a fencing token each: %s. Ask for fencingToken(key)"
						.formatted(keys()));
		}
		return fencingToken(keys().get(0));
	}

	/**
	 * The fencing token of one of several keys.
	 * @param key one of {@link #keys()}
	 * @return the token
	 * @throws IllegalArgumentException if the key is not part of this lease
	 */
	long fencingToken(String key);

	/**
	 * Return whether the lock is certainly still held. Costs no round trip.
	 * @return {@code false} once it was closed or lost, or its validity has ended, and
	 * while it is in doubt: the wall clock ran ahead of the monotonic one, as after a
	 * suspension of the machine, or the server was started again and may have forgotten
	 * the lock, and the store has not confirmed the lock since
	 */
	boolean isHeld();

	/**
	 * Return whether the lock was lost. Costs no round trip. A lease that is in doubt is
	 * neither {@linkplain #isHeld() held} nor lost: within about a round trip it is one
	 * of them.
	 * @return {@code true} once it was lost or its validity has ended
	 */
	default boolean isLost() {
		return !isHeld();
	}

	/**
	 * The time for which the lock is certainly still held if it is not renewed. It is
	 * counted from when the last confirmed command was sent, and shorter than the ttl by
	 * 1 % and 2 ms: the clocks of store and holder may run at different speeds.
	 * @return the remaining validity, zero if the lock is not held
	 */
	Duration remaining();

	/**
	 * Make sure that the lock is held. Costs no round trip, unless the lease is
	 * {@linkplain #isHeld() in doubt}: then the store is asked, and the calling thread
	 * waits for the answer. It waits at most for the time-out of a command, or for the
	 * ttl if that is shorter.
	 * @throws LockLostException if it was lost, or is in doubt and was not confirmed
	 * @throws IllegalStateException if it was closed
	 */
	void checkHeld();

	/**
	 * Make sure that the lock is held where the transaction of the calling thread
	 * commits. Guarded methods and {@link LockTemplate} call it before the commit; with a
	 * lease of {@link LockRegistry#acquire} call it last in the transaction, and close
	 * the lease after the commit.
	 * <p>
	 * It is {@link #checkHeld()} and, with a store in the database of the application, a
	 * check in that transaction: from here on the lock is not given to another holder
	 * until the transaction has ended, unless this lease is closed before. The check
	 * costs one round trip on the connection of the transaction. A savepoint that is
	 * rolled back undoes it. Without such a transaction, or if it only reads, nothing
	 * more is checked.
	 * @throws LockLostException if it was lost; the transaction has to roll back
	 * @throws LockStoreException if the transaction does not see that the lock is held,
	 * as one that began before the acquisition and reads from one snapshot
	 * @throws IllegalStateException if it was closed
	 */
	void checkCommit();

	/**
	 * As {@link #extend(Duration, Duration)}, with the {@code keepFor} that was set
	 * before.
	 * @param ttl the new lease from now on, and that of renewals
	 */
	default void extend(Duration ttl) {
		extend(ttl, null);
	}

	/**
	 * Set the lease anew from now on, longer or shorter than before, and wait until the
	 * store has confirmed it. The token stays the same. A renewed lease is renewed with
	 * the new ttl from here on, still up to {@code maxHold} from the acquisition; a lease
	 * without renewal ends after the new ttl. Works in every mode. Not interruptible.
	 * Waits for earlier extends of this lock, and then blocks for at most the time-outs
	 * of two commands.
	 * <p>
	 * This is the only call that shortens a lease: neither a renewal nor another extend
	 * that was sent before it undoes that. Until the store has answered, the holder
	 * relies on the shorter one of the two leases. If it does not answer, it may have set
	 * the lease or not. The lease then ends as if it had the shorter ttl; if it is
	 * renewed, renewals use the longer ttl.
	 * <p>
	 * All leases of an owner that has entered the lock again are on the same lock: each
	 * of them extends, or shortens, all. The same holds for a part of several keys that
	 * were taken together. Keys that were taken one by one are extended one by one: after
	 * a failure, some of them may have the new lease.
	 * @param ttl the new lease from now on, and that of renewals; as in
	 * {@link LockRequest#ttl}
	 * @param keepFor how long the lock stays taken at least from now on, as in
	 * {@link LockRequest#keepFor}; zero for no longer than it is held, {@code null} for
	 * the value that was set before
	 * @throws InvalidSettingException if the durations cannot work, as in a request;
	 * nothing is changed
	 * @throws IllegalStateException if this lease was closed
	 * @throws LockLostException if it was lost; for several keys, if one of them was
	 * @throws LockStoreException if the store did not answer in time, or refused
	 */
	void extend(Duration ttl, @Nullable Duration keepFor);

	/**
	 * As {@link #extend(Duration, Duration)}, without blocking. The stage completes on
	 * the same threads as that of {@link #release()}.
	 * @param ttl the new lease from now on, and that of renewals
	 * @param keepFor how long the lock stays taken at least from now on; {@code null} for
	 * the value that was set before
	 * @return completes when the store has confirmed it; exceptionally with
	 * {@link LockLostException}, or with {@link LockStoreException} if the store has not
	 * answered in time or refused
	 * @throws InvalidSettingException if the durations cannot work
	 * @throws IllegalStateException if this lease was closed
	 */
	CompletionStage<Void> extendAsync(Duration ttl, @Nullable Duration keepFor);

	/**
	 * The name of this lease for other processes: these can
	 * {@linkplain LockRegistry#extend extend} and {@linkplain LockRegistry#release
	 * release} the lock. This lease stays as it is: it is renewed while it is open, and
	 * lost when another process has released it, which its instance is told at once if it
	 * listens, else at the next renewal. From here on the lock is not handed on within
	 * the instance when this lease is closed, but released. All leases of an owner that
	 * has entered the lock again have the same request.
	 * @return the handle
	 * @throws IllegalStateException if this lease was closed
	 * @throws LockLostException if it was lost
	 * @throws LockStoreException if the store has no handles, as Redlock
	 */
	default LeaseHandle handle() {
		throw new UnsupportedOperationException("This lease has no handle");
	}

	/**
	 * Register an action for the loss of this lease. It runs once, on a thread of the
	 * library's bounded callback executor; at once if the lease is lost already; never if
	 * the lease is closed first.
	 * @param action the action
	 */
	void onLost(Runnable action);

	/**
	 * Register an action for the danger that this lease is lost: a renewal has failed,
	 * and less than half of the lease is left. The renewals go on. The action runs once,
	 * on a thread of the library's bounded callback executor, with the failure of the
	 * store. It runs once more whenever the danger comes back after a confirmed renewal,
	 * unless it still waits for a thread. It never runs after the lease was closed or
	 * lost. A lease that is not renewed is never endangered.
	 * @param action the action
	 */
	void onEndangered(Consumer<? super LockStoreException> action);

	/**
	 * Release without blocking. Does the same as {@link #close()}, and nothing when
	 * called again. The stage completes on separate threads of the library: no lease,
	 * event or loss waits for these. At most 256 continuations may block there. For more,
	 * use the {@code Async} methods of the stage with an executor of your own.
	 * @return completes when the store has answered or has not in time; exceptionally
	 * with {@link LockLostException} if the lease was lost before and its policy is not
	 * {@link WhenLost#IGNORE}
	 */
	CompletionStage<Void> release();

	/**
	 * Release the lock and wait for the store's answer. Does not wait if the calling
	 * thread is the one that brings the answer; then a loss is not thrown. Not
	 * interruptible. If the store cannot be reached, an event reports that, and the
	 * release is tried again in the background: the lock was held until now, and is free
	 * after its ttl at the latest. Does nothing when called again.
	 * @throws LockLostException if the lease was lost before and its policy is not
	 * {@link WhenLost#IGNORE}
	 */
	@Override
	void close();

}
