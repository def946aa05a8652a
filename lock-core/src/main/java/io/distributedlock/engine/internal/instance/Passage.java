package io.distributedlock.engine.internal.instance;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * A command for a node in trouble: it waits for its turn, or is in flight. Guarded by the
 * traffic of the node.
 */
public final class Passage {

	/** The lock of the command, or one of them. */
	final LockKey key;

	/** {@code true} for a release or an abandon: these have their own line. */
	final boolean ends;

	/** Time from which its answer is of no use. */
	final long until;

	private final Sending sending;

	/** Called when it has to wait for its turn, which may have come meanwhile. */
	final Runnable waits;

	/** Called when it is dropped: its turn does not come any more. */
	final Runnable dropped;

	/** The node, once the command has entered. */
	volatile @Nullable NodeTraffic traffic;

	/** Time when its turn has come. */
	long begunAt;

	/** Set once its caller has given it up. */
	boolean late;

	/** Set if its turn would have come too late. */
	boolean skipped;

	/** The answer, once the command was sent. */
	private volatile @Nullable CompletableFuture<?> answer;

	public Passage(LockKey key, boolean ends, long until, Sending sending, Runnable waits, Runnable dropped) {
		this.key = key;
		this.ends = ends;
		this.until = until;
		this.sending = sending;
		this.waits = waits;
		this.dropped = dropped;
	}

	/** Send the command. Called outside all monitors. */
	void send(boolean ownThread) {
		this.answer = this.sending.send(ownThread);
	}

	/** Withdraw the command; return false if its turn has come. */
	public boolean withdraw() {
		NodeTraffic entered = this.traffic;
		return entered != null && entered.withdraw(this);
	}

	/** Wait no longer for the answer. Called outside all monitors. */
	void cancel() {
		CompletableFuture<?> unanswered = this.answer;
		if (unanswered != null) {
			unanswered.cancel(true);
		}
	}

	/** Sends a command. Called outside all monitors. */
	@FunctionalInterface
	public interface Sending {

		/**
		 * Send the command.
		 * @param ownThread {@code true} on the thread that wanted to send it
		 * @return the answer
		 */
		CompletableFuture<?> send(boolean ownThread);

	}

}
