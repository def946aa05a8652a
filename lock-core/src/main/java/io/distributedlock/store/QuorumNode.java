package io.distributedlock.store;

import java.util.concurrent.CompletableFuture;

/**
 * A store that can be a node of a quorum: several stores decide together by majority, and
 * none depends on the others. A grant of one node counts only if enough others grant the
 * lock too. A node takes locks {@linkplain AcquireCommand#retakes() again}, and an
 * {@link AbandonCommand} of an instance that goes on {@linkplain AbandonCommand#waiting()
 * waiting}.
 *
 * @since 0.1.0
 */
public interface QuorumNode extends LockStore {

	/**
	 * The name of this node in messages.
	 * @return a name without secrets, such as {@code redis1:6379}
	 */
	String name();

	/**
	 * Raise the token of locks. Never lowers it. Safe to repeat; works also while the
	 * store is out of memory.
	 * @param command the locks, their owner and the least token
	 * @return {@code true} if the request owns all of the locks and its leases last; else
	 * they are left as they are
	 */
	CompletableFuture<Boolean> raise(RaiseCommand command);

}
