package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The state of one command for a node in trouble: it waits for its turn, or is in flight.
 * Guarded by the traffic of the node.
 */
final class Passage {

	final NodeTraffic traffic;

	final NodeCommand command;

	/** Time when its turn has come. */
	long begunAt;

	/** Set once its caller has given it up. */
	boolean late;

	/** Set if its turn would have come too late. */
	boolean skipped;

	/** The answer, once the command was sent. */
	private volatile @Nullable CompletableFuture<?> answer;

	Passage(NodeTraffic traffic, NodeCommand command) {
		this.traffic = traffic;
		this.command = command;
	}

	/** Send the command. Called outside all monitors. */
	void send(boolean ownThread) {
		this.answer = this.command.send(ownThread);
	}

	/** Withdraw the command; return false if its turn has come. */
	boolean withdraw() {
		return this.traffic.withdraw(this);
	}

	/** Wait no longer for the answer. Called outside all monitors. */
	void cancel() {
		CompletableFuture<?> unanswered = this.answer;
		if (unanswered != null) {
			unanswered.cancel(true);
		}
	}

}
