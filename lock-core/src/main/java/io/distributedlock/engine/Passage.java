package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The way of one command to a node that is in trouble: it waits for its turn, or is on
 * its way. Guarded by the traffic of the node.
 */
final class Passage {

	final NodeTraffic traffic;

	final NodeCommand command;

	/** When its turn has come. */
	long begunAt;

	/** Whether its caller has given it up. */
	boolean late;

	/** Whether its turn would have come too late. */
	boolean skipped;

	/** There once it was sent. */
	private volatile @Nullable CompletableFuture<?> answer;

	Passage(NodeTraffic traffic, NodeCommand command) {
		this.traffic = traffic;
		this.command = command;
	}

	/** Called outside all monitors. */
	void send(boolean ownThread) {
		this.answer = this.command.send(ownThread);
	}

	/** Let it not be sent any more; false if its turn has come. */
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
