package io.distributedlock.store;

import java.util.concurrent.CompletableFuture;

/**
 * A store that can be one of several which decide together by majority, and depends on
 * none of the others. What it grants counts only if enough of the others grant it too. It
 * takes locks {@linkplain AcquireCommand#retakes() again}, and an {@link AbandonCommand}
 * of an instance that goes on {@linkplain AbandonCommand#waiting() waiting}.
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
	 * Raise the token of locks. Never lowers it. Safe to repeat; works also where the
	 * store is out of memory.
	 * @param command the locks, their owner and the least token
	 * @return whether the request owns all of the locks and its leases last; else they
	 * are left as they are
	 */
	CompletableFuture<Boolean> raise(RaiseCommand command);

}
