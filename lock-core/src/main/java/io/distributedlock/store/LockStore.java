package io.distributedlock.store;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the locks. Every command is identified by its {@link RequestId} and safe to
 * repeat. No command blocks the calling thread unless that is {@linkplain CallerThread
 * lent}, which only happens for a store with {@link StoreCapability#CALLER_THREAD}.
 * Thread-safe.
 * <p>
 * Every future completes, on any thread, with an outcome or exceptionally with a
 * {@link io.distributedlock.LockStoreException}, which may be the cause of a
 * {@link java.util.concurrent.CompletionException}. After kind {@code UNAVAILABLE} the
 * command may have been applied or not; after {@code MISCONFIGURED} it has given,
 * extended and freed no lock, but an attempt may have left a waiter entry. Any other
 * failure, an exception that a method throws, and {@code null} instead of a future count
 * as {@code UNAVAILABLE}. The engine cancels a future after the
 * {@link #commandTimeout()}, or earlier for a short lease, and takes the command for one
 * that may have been applied; a store withdraws it if it was not sent yet.
 * <table>
 * <caption>The engine after a failure</caption>
 * <tr>
 * <th>command</th>
 * <th>{@code UNAVAILABLE}, or no answer</th>
 * <th>{@code MISCONFIGURED}</th>
 * </tr>
 * <tr>
 * <td>acquire</td>
 * <td>repeats it with the same request while the caller's budget lasts: after 25 ms, then
 * twice as long each time, up to the poll interval. A single attempt fails, and its
 * request is abandoned</td>
 * <td>fails all callers that wait for the lock, and abandons the request</td>
 * </tr>
 * <tr>
 * <td>renew</td>
 * <td colspan="2">tries again until the lease has run out; then the lock is lost</td>
 * </tr>
 * <tr>
 * <td>extend</td>
 * <td colspan="2">fails the caller, does not repeat it, and renews instead</td>
 * </tr>
 * <tr>
 * <td>release, abandon</td>
 * <td colspan="2">repeats it after 50 ms, then twice as long each time, up to a second,
 * until the lease has run out in any case. An abandon of a request that was only ever
 * refused as {@code MISCONFIGURED} ends with that answer. A caller waits for the first
 * answer only</td>
 * </tr>
 * <tr>
 * <td>inspect, forceRelease</td>
 * <td colspan="2">fails the caller, does not repeat it</td>
 * </tr>
 * </table>
 * <p>
 * All instances have to decide with one clock, that of the store: the exclusion is as
 * good as that clock. For a back end without a clock, see the table of
 * {@link io.distributedlock.state.CompareAndSwapLockStore}.
 *
 * @since 0.1.0
 */
public interface LockStore extends AutoCloseable {

	/**
	 * The capabilities of this store besides exclusive locks. Asked once, before
	 * {@link #start(String, WakeUpListener)}; a store that passes commands on has the
	 * capabilities of the store behind it.
	 * @return the capabilities; none by default, so that a store has only those that it
	 * states
	 */
	default Set<StoreCapability> capabilities() {
		return EnumSet.noneOf(StoreCapability.class);
	}

	/**
	 * Return whether several locks can be taken, released and abandoned by one command.
	 * Asked only of a store with {@link StoreCapability#KEY_SETS}.
	 * @param keys at least two locks
	 * @return {@code true} if commands may name them together; {@code false} by default
	 */
	default boolean takesTogether(List<LockKey> keys) {
		return false;
	}

	/**
	 * Take a lock if it is free, or several if all are. An attempt may be repeated with
	 * the same request while that holds the lock: it never shortens the lease and answers
	 * with the same token. If the command reserves
	 * {@linkplain AcquireCommand#spareTokens() spare tokens}, the token is a new one
	 * instead, larger than all before.
	 * <p>
	 * A new token is larger than all earlier ones of its locks, with their spare tokens,
	 * and than the {@linkplain AcquireCommand#highestToken() highest} that the command
	 * names. It is also at least the time of the store in microseconds since 1970, so
	 * that tokens grow on when the store has lost or forgotten a lock. It is below
	 * 2<sup>53</sup>. A reader gets the last token, unless there is none yet.
	 * <p>
	 * A store remembers the last token of a lock, and the last request of each
	 * {@linkplain RequestId#isOfSameContender contender}, however many others come in
	 * between: while it holds the lock, and for the retention from its end.
	 * <table>
	 * <caption>The retention</caption>
	 * <tr>
	 * <td>begins</td>
	 * <td>with the release, abandon or force-release, or when the lease runs out</td>
	 * </tr>
	 * <tr>
	 * <td>lasts</td>
	 * <td>60 seconds by default, at least a second, in any case longer than a copy of a
	 * command can be on its way, as in a driver that sends commands again after it has
	 * reconnected</td>
	 * </tr>
	 * <tr>
	 * <td>is needed, since</td>
	 * <td>a late copy of an acquire would take the lock for a whole lease without a
	 * caller, and a repeated release would be reported as a loss</td>
	 * </tr>
	 * </table>
	 * It {@linkplain AcquireOutcome.Refused refuses}:
	 * <ul>
	 * <li>a request that has ended: released, abandoned, expired or taken away</li>
	 * <li>a request with a smaller {@linkplain RequestId#number() number} than the last
	 * one of its contender, or a different one with the same number, which another
	 * process of the same image made</li>
	 * <li>a request that holds only some of its locks any more, unless a release has
	 * given it those by a {@linkplain AcquireCommand#claim() claim}</li>
	 * </ul>
	 * A later request of a contender that still holds the lock finds it busy.
	 * <p>
	 * An attempt at several locks leaves its waiter entry at the first busy one only, a
	 * fair request at each of them. Free locks among them stay as they are, even if this
	 * instance was woken for one: nothing depends on a wake-up, and the next waiters
	 * poll. A lock that a release has given to the request may stay reserved for it.
	 * <p>
	 * A lock that is taken in one {@linkplain io.distributedlock.LockMode mode} is busy
	 * for all other requests. The exceptions are readers among each other, a reader
	 * {@linkplain AcquireCommand#beside() beside} its own owner, and the permits of a
	 * semaphore. Each holder has a lease of its own. When the lock is released or has
	 * expired, readers with a waiter entry come before the next exclusive request, for a
	 * second at most; later readers come after exclusive waiters.
	 * <p>
	 * A lock with a {@linkplain AcquireCommand#lockDelay() delay} is busy for all
	 * requests, without a holder, while its lease has run out and the delay is not over.
	 * <p>
	 * A fair request with a waiter entry keeps its position in the lines of all its locks
	 * while it attempts again before the entry expires. An expired waiter entry blocks no
	 * request. A semaphore where another kind of lock is in use, the reverse, and a
	 * second number of permits are a {@link io.distributedlock.LockStoreException} of
	 * kind {@code MISCONFIGURED}.
	 * @param command the attempt
	 * @return the outcome
	 */
	CompletableFuture<AcquireOutcome> acquire(AcquireCommand command);

	/**
	 * Renew leases. A lease that has run out is not renewed, and only {@link #extend}
	 * shortens one. A renewal is refused if the last renewal or extend of its lease has a
	 * mark that the command does not {@linkplain RenewalMarks#know(String) know}: another
	 * process, restored from the same image, has renewed the lease, or an extend was sent
	 * after this renewal. A repeated or late renewal gets the same answer, and changes
	 * nothing if a later one was applied. Each has an answer of its own, so that a late
	 * or failed one does not affect the others.
	 * @param commands any number of leases, usually of one {@linkplain #nodeOf node}
	 * @return the answers in the order of the commands; held if the lease was renewed
	 */
	List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands);

	/**
	 * Set the leases of a request anew, longer or shorter: the only command that shortens
	 * one. A lease that has run out stays so. The command is refused if the last renewal
	 * or extend of a lease has a mark that the command does not
	 * {@linkplain RenewalMarks#know(String) know}. The store keeps the mark of the
	 * command, so a renewal or an extend that was sent before it has no effect after it.
	 * A copy of the command, whose mark is kept already, changes nothing. If one of
	 * several locks is not held any more, or the command fails, the others may have the
	 * new lease or not. Works also while the store is out of memory.
	 * @param command the locks, their owner and the lease
	 * @return the worst answer for the locks: held if all leases are as the command says
	 */
	CompletableFuture<Ownership> extend(ExtendCommand command);

	/**
	 * The part of the store that keeps a lock, if the store has parts that can be slow or
	 * unavailable alone. Renewals of one part may wait for each other, but never for
	 * those of another part. Called for every renewal: it must answer from memory and at
	 * once, and the answer may be out of date.
	 * @param key the lock
	 * @return the name of the part
	 */
	default String nodeOf(LockKey key) {
		return "";
	}

	/**
	 * Release locks and wake the next waiters of each: the waiting readers, each instance
	 * once, or the first fair request, or the first instance; none while others hold the
	 * lock. If the entry of that instance names a {@linkplain AcquireCommand#claim()
	 * claim}, the entry is removed and its request has the lock from here on. The request
	 * gets the next token, and the lock for the time of the claim. If it keeps the lock
	 * for a time, that time begins with its next attempt. Works also while the store is
	 * out of memory.
	 * @param command the locks and their owner
	 * @return the worst answer for the locks:
	 * <table>
	 * <caption>The answer for a lock</caption>
	 * <tr>
	 * <th>the request</th>
	 * <th>answer</th>
	 * </tr>
	 * <tr>
	 * <td>has the lock, which is free now; or has released it before</td>
	 * <td>{@code HELD}</td>
	 * </tr>
	 * <tr>
	 * <td>is exclusive or fair, its lease ran out, and no request has taken the lock
	 * after it: it is released now, and stays closed until its delay is over</td>
	 * <td>{@code HELD}</td>
	 * </tr>
	 * <tr>
	 * <td>had a lease that ran out, otherwise; or was abandoned</td>
	 * <td>{@code EXPIRED}</td>
	 * </tr>
	 * <tr>
	 * <td>is not known, or not any more; had the lock taken away; or holds it, and its
	 * last renewal has a mark that the command does not know</td>
	 * <td>{@code LOST}</td>
	 * </tr>
	 * <tr>
	 * <td>is followed by a later one of its {@linkplain RequestId#isOfSameContender
	 * contender} that was abandoned, or lost the lock when its lease ran out</td>
	 * <td>{@code HELD}</td>
	 * </tr>
	 * <tr>
	 * <td>is followed by a later one that has the lock, released it or had it taken away:
	 * another process may have the same identity</td>
	 * <td>{@code LOST}</td>
	 * </tr>
	 * </table>
	 * The store does not know when the release was sent. The engine does, and takes
	 * {@code EXPIRED} for no loss if the lease still lasted then
	 */
	CompletableFuture<Ownership> release(ReleaseCommand command);

	/**
	 * End a request: release any lock that it holds, and refuse it when it arrives later.
	 * Also removes the waiter entry of its contender. Works also while the store is out
	 * of memory. While an earlier request of the same contender reads or has a permit,
	 * nothing is remembered of this one, since a store keeps one request of a contender,
	 * and that is the holder. A late copy of this request may then take the lock once the
	 * earlier one has ended, until its lease runs out.
	 * <p>
	 * A store may ignore a {@linkplain AbandonCommand#successor() successor}, which then
	 * joins the end of the line with its first attempt.
	 * @param command the locks and the request to end
	 * @return completes when it is done
	 */
	CompletableFuture<Void> abandon(AbandonCommand command);

	/**
	 * The monitor of this store, for people and monitoring. Called for each use: it must
	 * answer from memory and at once.
	 * @return this store itself by default, if it is a monitor, or {@code null} for a
	 * store without a monitor: inspections and force-releases are refused then
	 */
	default @Nullable StoreMonitor monitor() {
		return (this instanceof StoreMonitor monitor) ? monitor : null;
	}

	/**
	 * The check of the owner where the effect commits, for a store that keeps its locks
	 * in the database of the application. Asked once, before
	 * {@link #start(String, WakeUpListener)}; a store that passes commands on has the
	 * check of the store behind it.
	 * @return {@code null} by default: only the lease is checked before a commit
	 */
	default @Nullable CommitCheck commitCheck() {
		return null;
	}

	/**
	 * Connect the wake-ups of an instance. Called before any command, and again with the
	 * same listener when the instance takes another identity, as after a restore from an
	 * image: its waiters attempt again then. The listener then belongs to the new
	 * instance, and messages to the former one need not arrive any more. Registries that
	 * share a store have a listener each. Does not block.
	 * @param instance the {@linkplain RequestId#instance() instance} of all requests that
	 * will be made
	 * @param listener the receiver of wake-ups; cheap and non-blocking
	 */
	void start(String instance, WakeUpListener listener);

	/**
	 * Begin to listen for messages of the store, because a caller waits for a lock that
	 * this instance holds and so leaves no waiter entry. From soon on the instance should
	 * be {@linkplain WakeUpListener#revoked notified} if the lock is taken away. Called
	 * often, and does not block. Does nothing by default, as for a store whose instances
	 * listen from their start.
	 */
	default void listen() {
	}

	/**
	 * The place where a lock is kept, with the known reasons why it may be out of reach:
	 * for messages about commands without an answer. Contains no secrets.
	 * @param key the lock
	 * @return such as {@code Redis at 10.0.0.5:6379}, or an empty text if it is not known
	 */
	default String place(LockKey key) {
		return "";
	}

	/**
	 * Return whether this store works until it is closed, even if other objects of the
	 * application have ended before. Its registry may then serve the application while it
	 * shuts down.
	 * @return {@code false} by default, as for a store that uses a connection factory or
	 * a data source of the application: its registry is closed before these
	 */
	default boolean isIndependent() {
		return false;
	}

	/**
	 * Return whether a blocked thread may keep answers of this store from arriving, as an
	 * event loop of its connections does. A caller on such a thread is refused instead of
	 * waiting for an answer. Answers from memory and at once.
	 * @param thread the thread of a caller
	 * @return {@code false} by default
	 */
	default boolean isAnsweredBy(Thread thread) {
		return false;
	}

	/**
	 * The time-out of a command: the engine gives up on it after this time without an
	 * answer, with all that the store repeats for it.
	 * @return the time
	 */
	Duration commandTimeout();

	/**
	 * Free connections and threads of this store, not the locks. Called by the registry
	 * when that is closed, and maybe again by the application.
	 */
	@Override
	void close();

}
