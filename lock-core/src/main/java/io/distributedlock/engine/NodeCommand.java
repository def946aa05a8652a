package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.LockKey;

/** A command that may have to wait for its turn at a node that is in trouble. */
interface NodeCommand {

	/** The lock that it is about, or one of them. */
	LockKey key();

	/** Whether it ends something, so that it has a line of its own. */
	boolean ends();

	/** When its answer is of no use any more. */
	long until();

	/**
	 * It goes through the traffic of a node that is in trouble. Called before it is sent
	 * or waits.
	 */
	void entered(Passage passage);

	/**
	 * Send it. Called outside all monitors.
	 * @param ownThread whether on the thread that wanted to have it sent
	 * @return the answer
	 */
	CompletableFuture<?> send(boolean ownThread);

	/** There is no place for it yet, or there was none. */
	void waits();

	/** Its turn does not come any more. */
	void dropped();

}
