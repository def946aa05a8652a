package io.distributedlock.engine.internal.instance;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.engine.internal.time.TimerHeap;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of the store whose answers are late. While the answers of a node come in
 * time, nothing is kept of it, and a command goes to it at once. Thread-safe.
 */
public final class Traffic {

	/** A command that is given up earlier says nothing about its node. */
	private static final long SOONEST_ANSWER_NANOS = 2_000_000;

	private final LockStore store;

	private final TimerHeap timers;

	private final LongSupplier clock;

	/** Nodes that are in trouble, or were a moment ago; mostly none. */
	final ConcurrentMap<String, NodeTraffic> troubled = new ConcurrentHashMap<>();

	Traffic(LockStore store, TimerHeap timers, LongSupplier clock) {
		this.store = store;
		this.timers = timers;
		this.clock = clock;
	}

	/**
	 * Let a command enter, which is sent now or in its turn. Called outside all monitors.
	 * @param kept keeps the passage before the command may be sent, and gets {@code null}
	 * if there is no passage after all
	 * @return false if its node is not in trouble, so that it can be sent at once
	 */
	public boolean enter(Passage passage, Consumer<@Nullable Passage> kept) {
		NodeTraffic node = this.timers.isStopped() ? null : this.troubled.get(this.store.nodeOf(passage.key));
		if (node == null) {
			return false;
		}
		kept.accept(passage);
		boolean entered = node.enter(passage);
		if (!entered) {
			kept.accept(null);
		}
		return entered;
	}

	/**
	 * A command was answered, or has failed. Called outside all monitors.
	 * @param passage the passage of the command, if it had one
	 * @param written {@code true} if the node has written
	 */
	void landed(LockKey key, @Nullable Passage passage, boolean written, @Nullable Throwable failure) {
		NodeTraffic entered = (passage != null) ? passage.traffic : null;
		NodeTraffic node = (entered != null) ? entered : this.troubled.get(this.store.nodeOf(key));
		if (node != null) {
			node.landed(passage, isAnswer(failure), written);
		}
	}

	/** Return whether an outcome comes from the node itself, not from the way to it. */
	private static boolean isAnswer(@Nullable Throwable thrown) {
		Throwable failure = Failure.unwrapped(thrown);
		return failure == null || failure instanceof ReplicasNotAcknowledgedException
				|| (failure instanceof LockStoreException said
						&& said.getKind() == LockStoreException.Kind.MISCONFIGURED);
	}

	/**
	 * A command was given up without an answer.
	 * @param passage the passage of the command, if it had one
	 * @return {@code true} if its answer is awaited all the same, to learn when it comes
	 */
	public boolean givenUp(LockKey key, @Nullable Passage passage, long sentAt) {
		NodeTraffic entered = (passage != null) ? passage.traffic : null;
		if (entered != null) {
			return entered.givenUp(passage, sentAt);
		}
		if (now() - sentAt >= SOONEST_ANSWER_NANOS) {
			of(this.store.nodeOf(key)).givenUp(null, sentAt);
		}
		return false;
	}

	/** A node has not answered a command without a passage. */
	public void unanswered(String node, long sentAt) {
		of(node).givenUp(null, sentAt);
	}

	/** A node has answered a command without a passage. */
	public void answered(String node) {
		NodeTraffic known = this.troubled.get(node);
		if (known != null) {
			known.landed(null, true, false);
		}
	}

	/** Notify a listener when a node has next written, for a while. */
	public void awaitWrite(String node, LongConsumer told) {
		of(node).awaitWrite(told);
	}

	private NodeTraffic of(String node) {
		return this.troubled.computeIfAbsent(node,
				(missing) -> new NodeTraffic(this, missing, this.store.commandTimeout().toNanos()));
	}

	/** A node is not in trouble any more. */
	void ended(NodeTraffic node) {
		this.troubled.remove(node.name, node);
	}

	TimerHeap timers() {
		return this.timers;
	}

	long now() {
		return this.clock.getAsLong();
	}

}
