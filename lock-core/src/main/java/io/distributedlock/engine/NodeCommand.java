package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.LockKey;

/** A command that may have to wait for its turn at a node that is in trouble. */
interface NodeCommand {

	/** Return the lock of the command, or one of them. */
	LockKey key();

	/** Return whether it is a release or an abandon: these have their own line. */
	boolean ends();

	/** Return the time from which its answer is of no use. */
	long until();

	/**
	 * Set the passage: the node is in trouble. Called before the command is sent or
	 * waits.
	 */
	void entered(Passage passage);

	/**
	 * Send the command. Called outside all monitors.
	 * @param ownThread {@code true} on the thread that wanted to send it
	 * @return the answer
	 */
	CompletableFuture<?> send(boolean ownThread);

	/** The command has to wait for its turn, which may have come meanwhile. */
	void waits();

	/** The command is dropped: its turn does not come any more. */
	void dropped();

}
