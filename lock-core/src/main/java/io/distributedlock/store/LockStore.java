package io.distributedlock.store;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the locks. Every command is safe to repeat and identified by its
 * {@link RequestId}; none blocks the calling thread unless that is
 * {@linkplain CallerThread lent}, which only a store with
 * {@link StoreCapability#CALLER_THREAD} is offered, and every future completes with an
 * outcome or exceptionally with a {@link io.distributedlock.LockStoreException}. Of kind
 * {@code UNAVAILABLE} it means that it is unknown whether the command was applied.
 * Cancelling a future withdraws the command if it was not sent yet. Thread-safe.
 * <p>
 * A store decides with a clock of its own (server time) and never with a client's.
 *
 * @since 0.1.0
 */
public interface LockStore extends AutoCloseable {

	/**
	 * What this store can do besides exclusive locks. Asked once, before
	 * {@link #start(String, WakeUpListener)}; a store that passes commands on answers as
	 * the one behind it. The default is all but {@link StoreCapability#CALLER_THREAD},
	 * since the contract below speaks of all others: a store says what it leaves out, and
	 * whether it may block the thread of a caller.
	 * @return the capabilities
	 */
	default Set<StoreCapability> capabilities() {
		return EnumSet.complementOf(EnumSet.of(StoreCapability.CALLER_THREAD));
	}

	/**
	 * Whether several locks can be taken, released and abandoned by one command. Asked
	 * only of a store with {@link StoreCapability#KEY_SETS}.
	 * @param keys at least two locks
	 * @return whether commands may name them together
	 */
	boolean takesTogether(List<LockKey> keys);

	/**
	 * Take a lock if it is free, or several if all are. Repeated with the same request
	 * while that holds the lock, it never shortens the lease and answers with the same
	 * token, or with a new one that is larger than all before if the command reserves
	 * {@linkplain AcquireCommand#spareTokens() spare tokens}. A request that has ended
	 * (released, abandoned, expired) is {@linkplain AcquireOutcome.Refused refused}, and
	 * so is one that holds only some of its locks any more. A store remembers the last
	 * request of each contender of a lock for a retention time from its end, however many
	 * others come in between. So it also refuses a request with a smaller
	 * {@linkplain RequestId#number() number} than the last one of its
	 * {@linkplain RequestId#isOfSameContender contender}, and one with the same number
	 * that is not the same: another process of the same image made that. A later request
	 * of a contender that still holds the lock finds it busy.
	 * <p>
	 * If several locks are asked for, the waiter entry is left at the first busy one
	 * only. Free locks among them stay as they are, also if this instance had been woken
	 * for one: nothing depends on a wake-up, and the next waiters poll.
	 * <p>
	 * A lock that is taken in one {@linkplain io.distributedlock.LockMode mode} is busy
	 * for all other requests. The exceptions are readers among each other, a reader
	 * {@linkplain AcquireCommand#beside() beside} its own owner, and the permits of a
	 * semaphore. Each holder has a lease of its own. When the lock is released or has
	 * expired, readers that have left a waiter entry come before the next exclusive
	 * request, for a second at most; later readers come after exclusive waiters. A fair
	 * request with a waiter entry keeps its place in the lines of all its locks while it
	 * attempts again before the entry expires. An expired waiter entry blocks no request.
	 * A semaphore where another kind of lock is in use, the reverse, and a second number
	 * of permits are a {@link io.distributedlock.LockStoreException} of kind
	 * {@code MISCONFIGURED}.
	 * @param command what to take
	 * @return the outcome
	 */
	CompletableFuture<AcquireOutcome> acquire(AcquireCommand command);

	/**
	 * Renew leases. A lease that has run out is not renewed, and none is shortened but by
	 * {@link #extend}. Nor is one renewed whose last renewal or extend has a mark that
	 * the command does not {@linkplain RenewalMarks#know(String) know}: another process
	 * has renewed it, which was restored from the same image, or an extend was sent after
	 * this renewal. A repeated or late renewal is answered in the same way, and changes
	 * nothing if a later one was applied. Each has an answer of its own, so that one that
	 * is late or fails costs the others nothing.
	 * @param commands any number of leases, usually of one {@linkplain #nodeOf node}
	 * @return the answers in the order of the commands; held if the lease was renewed
	 */
	List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands);

	/**
	 * Set the leases of a request anew, longer or shorter: the only command that shortens
	 * one. A lease that has run out stays so, and one is refused whose last renewal or
	 * extend has a mark that the command does not {@linkplain RenewalMarks#know(String)
	 * know}. The store keeps the mark of the command, so neither a renewal nor an extend
	 * that was sent before it has any effect behind it. A copy of the command, by which
	 * the mark is kept already, changes nothing. Where one of several locks is not held
	 * any more, or the command fails, the others may have the new lease or not. Works
	 * also where the store is out of memory.
	 * @param command the locks, their owner and the lease
	 * @return what holds for all of them: held if the leases are as the command says
	 */
	CompletableFuture<Ownership> extend(ExtendCommand command);

	/**
	 * The part of the store that keeps a lock, if it has parts that can be slow or
	 * unavailable alone. Renewals of one part may wait for each other, but never for
	 * those of another. Asked for every renewal: from memory and at once, and it may be
	 * out of date.
	 * @param key the lock
	 * @return the name of the part
	 */
	default String nodeOf(LockKey key) {
		return "";
	}

	/**
	 * Release locks and wake the waiters that are next for each: the readers that have
	 * waited, each instance once, or the first fair request, or the first instance; none
	 * while others hold the lock. If the entry of that instance names a
	 * {@linkplain AcquireCommand#claim() claim}, its request has the lock from here on,
	 * with the next token and for so long, and the entry is removed. Works also where the
	 * store is out of memory.
	 * @param command the locks and their owner
	 * @return what holds for all of them: held if no other request can have had the locks
	 * up to now, or the request has released them before. An exclusive owner may be late:
	 * as long as no request has taken the lock after it, it is held. The release of a
	 * lease that has expired is a loss, unless the release was sent before that and came
	 * late. If the store knows a later request of the same
	 * {@linkplain RequestId#isOfSameContender contender}, this one has ended: held if the
	 * later one was abandoned or its lease ran out, lost if it has the lock, released it
	 * or had it taken away, since that may be another process with the same identity
	 */
	CompletableFuture<Ownership> release(ReleaseCommand command);

	/**
	 * End a request: release what it may hold, and refuse it when it arrives later. Also
	 * removes the waiter entry of this instance. Works also where the store is out of
	 * memory. While an earlier request of the same contender reads or has a permit,
	 * nothing is remembered of this one.
	 * <p>
	 * A store may ignore a {@linkplain AbandonCommand#successor() successor}, which then
	 * takes a new place with its first attempt.
	 * @param command the locks and the request to end
	 * @return completes when it is done
	 */
	CompletableFuture<Void> abandon(AbandonCommand command);

	/**
	 * The side of this store for people and monitoring. Asked for each time: from memory
	 * and at once.
	 * @return this store itself by default, if it is a monitor, or {@code null} for a
	 * store that cannot be looked into
	 */
	default @Nullable StoreMonitor monitor() {
		return (this instanceof StoreMonitor monitor) ? monitor : null;
	}

	/**
	 * Connect the wake-ups of an instance. Called before any command, and again with the
	 * same listener when the instance takes another identity, as after a restore from an
	 * image: its waiters attempt again then. Does not block.
	 * @param instance the {@linkplain RequestId#instance() instance} of all requests that
	 * will be made
	 * @param listener what to call; cheap and non-blocking
	 */
	void start(String instance, WakeUpListener listener);

	/**
	 * A caller waits for a lock that this instance holds, so that no command leaves a
	 * waiter entry: from soon on the instance should be
	 * {@linkplain WakeUpListener#revoked told} if the lock is taken away. Called often,
	 * and does not block. Does nothing by default, as for a store whose instances are
	 * told from their start.
	 */
	default void listen() {
	}

	/**
	 * The place where a lock is kept, with what is known of why it may be out of reach:
	 * for messages about commands without an answer. Contains no secrets.
	 * @param key the lock
	 * @return such as {@code Redis at 10.0.0.5:6379}, or an empty text if it is not known
	 */
	default String place(LockKey key) {
		return "";
	}

	/**
	 * Whether this store works until it is closed, whatever other objects of the
	 * application have ended before. Its registry may then serve what the application
	 * still does while it shuts down.
	 * @return {@code false} by default, as for a store that uses a connection factory or
	 * a data source of the application: its registry is closed before these
	 */
	default boolean isIndependent() {
		return false;
	}

	/**
	 * Whether answers of this store may not come while a thread is blocked, such as an
	 * event loop of its connections. A caller on such a thread is refused where it would
	 * wait for an answer. From memory and at once.
	 * @param thread the thread of a caller
	 * @return {@code false} by default
	 */
	default boolean isAnsweredBy(Thread thread) {
		return false;
	}

	/**
	 * How long a command may go unanswered before the engine gives up on it.
	 * @return the time
	 */
	Duration commandTimeout();

	/**
	 * Free connections and threads of this store, not the locks.
	 */
	@Override
	void close();

}
