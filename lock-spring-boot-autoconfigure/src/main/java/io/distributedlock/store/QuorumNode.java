package io.distributedlock.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A store that can be one of several which decide together by majority, and depends on
 * none of the others. What it grants counts only if enough of the others grant it too.
 *
 * @since 0.1.0
 */
public interface QuorumNode extends LockStore {

	/**
	 * What this node is called in messages.
	 * @return a name without secrets, such as {@code redis1:6379}
	 */
	String name();

	/**
	 * Take a lock on this node that the request gets, or has, by the word of others: as
	 * {@link #acquire} does, but nobody who waits here comes first.
	 * @param command what to take
	 * @param again whether the request has held the lock on enough nodes up to now, so
	 * that it is not refused because it has ended on this one; it is still refused if a
	 * later request of its contender is known here
	 * @return the outcome
	 */
	CompletableFuture<AcquireOutcome> claim(AcquireCommand command, boolean again);

	/**
	 * Leave the word that the request waits, as {@link #acquire} does where the lock is
	 * busy, and take nothing.
	 * @param command what is waited for
	 * @return completes when it is done
	 */
	CompletableFuture<Void> standInLine(AcquireCommand command);

	/**
	 * End a request as {@link #abandon} does, for an instance that goes on waiting to
	 * have the lock for itself: readers that wait here are not let in for that.
	 * @param keys the locks
	 * @param request the request to end
	 * @param waiting how long the word that the instance waits is good
	 * @return completes when it is done
	 */
	CompletableFuture<Void> withdraw(List<LockKey> keys, RequestId request, Duration waiting);

	/**
	 * Raise the token of locks, so that whoever takes them next gets a larger one. Never
	 * lowers it. Safe to repeat; works also where the store is out of memory.
	 * @param keys the locks
	 * @param request the owner
	 * @param token the least token
	 * @return whether the request owns all of the locks and its leases last; else they
	 * are left as they are
	 */
	CompletableFuture<Boolean> raise(List<LockKey> keys, RequestId request, long token);

}
