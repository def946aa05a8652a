package io.distributedlock.redis.internal.lettuce;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.redis.internal.driver.Acknowledgement;
import io.distributedlock.redis.internal.driver.DaemonThreads;
import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.store.StoreCall;
import org.jspecify.annotations.Nullable;

/**
 * Sends acquisitions to one primary, over one connection. New calls are collected while a
 * round waits for replicas, and then go together, with a single WAIT for all of them. So
 * a call waits for at most one WAIT before its own.
 */
final class ReplicatedLane implements AutoCloseable {

	private final Supplier<ReplicaConnection> connections;

	private final Acknowledgement wanted;

	private final Executor connector;

	private final Consumer<ReplicatedCall> redirected;

	/** The calls of the next round. Guarded by this. */
	private List<ReplicatedCall> calls = new ArrayList<>();

	/** Set while a round is under way, which starts the next one. Guarded by this. */
	private boolean busy;

	/** Written in a round, read also by {@link #close()}. */
	private volatile @Nullable ReplicaConnection connection;

	private volatile boolean closed;

	/**
	 * Create a lane.
	 * @param connections opens a connection to the primary; may block
	 * @param wanted the confirmation that is needed
	 * @param connector runs the opening of connections
	 * @param redirected sends a call to another node
	 */
	ReplicatedLane(Supplier<ReplicaConnection> connections, Acknowledgement wanted, Executor connector,
			Consumer<ReplicatedCall> redirected) {
		this.connections = connections;
		this.wanted = wanted;
		this.connector = connector;
		this.redirected = redirected;
	}

	void add(ReplicatedCall call) {
		synchronized (this) {
			this.calls.add(call);
			if (this.busy) {
				return;
			}
			this.busy = true;
		}
		proceed();
	}

	private void proceed() {
		List<ReplicatedCall> batch;
		synchronized (this) {
			batch = this.calls;
			batch.removeIf((call) -> call.call().isDone());
			this.calls = new ArrayList<>();
			this.busy = !batch.isEmpty();
		}
		if (!batch.isEmpty()) {
			new Round(batch).start();
		}
	}

	private CompletableFuture<ReplicaConnection> connection() {
		ReplicaConnection present = this.connection;
		if (present != null && present.isIntact()) {
			return CompletableFuture.completedFuture(present);
		}
		return CompletableFuture.supplyAsync(() -> {
			ReplicaConnection opened = this.connections.get();
			this.connection = opened;
			if (this.closed) {
				opened.end();
			}
			return opened;
		}, this.connector);
	}

	/** Close the connection; a round has a moment to end by itself. */
	@Override
	public void close() {
		this.closed = true;
		ReplicaConnection present = this.connection;
		boolean idle;
		synchronized (this) {
			idle = !this.busy;
		}
		if (present != null && idle) {
			present.end().join();
		}
		else if (present != null) {
			DaemonThreads.afterLastWords(present::end);
		}
	}

	/** Calls that go over the connection together. */
	private final class Round {

		private final List<ReplicatedCall> batch;

		private final Set<ReplicatedCall> unsettled;

		private final Map<ReplicatedCall, Object> granted = new HashMap<>();

		Round(List<ReplicatedCall> batch) {
			this.batch = batch;
			this.unsettled = new HashSet<>(batch);
		}

		void start() {
			StoreCall.send(ReplicatedLane.this::connection)
				.thenCompose((taken) -> send(taken, this.batch).thenCompose((nothing) -> confirm(taken)))
				.whenComplete((nothing, failure) -> end(failure));
		}

		/** Send calls and settle all but the grants, which wait for replicas. */
		private CompletableFuture<Void> send(ReplicaConnection taken, List<ReplicatedCall> sent) {
			return taken.run(sent).thenCompose((replies) -> {
				List<ReplicatedCall> asText = new ArrayList<>();
				for (int i = 0; i < sent.size(); i++) {
					ReplicatedCall call = sent.get(i);
					Object value = replies.get(i).value();
					Throwable failure = replies.get(i).failure();
					if (call.isToBeSentAsText(failure)) {
						asText.add(call);
					}
					else if (value != null && ReplicatedLane.this.wanted.granted().test(value)) {
						this.granted.put(call, value);
					}
					else {
						settle(call, value, failure);
					}
				}
				return asText.isEmpty() ? CompletableFuture.completedFuture(null) : send(taken, asText);
			});
		}

		private void settle(ReplicatedCall call, @Nullable Object value, @Nullable Throwable failure) {
			this.unsettled.remove(call);
			if (value != null) {
				call.call().complete(value);
			}
			else if (failure != null && call.isRedirectedBy(failure)) {
				ReplicatedLane.this.redirected.accept(call);
			}
			else {
				call.call().completeExceptionally((failure != null) ? failure : new IllegalStateException("No answer"));
			}
		}

		private CompletableFuture<Void> confirm(ReplicaConnection taken) {
			if (this.granted.isEmpty()) {
				return CompletableFuture.completedFuture(null);
			}
			Acknowledgement wanted = ReplicatedLane.this.wanted;
			return taken.awaitReplicas(wanted.replicas(), wanted.timeout()).thenAccept((got) -> {
				this.unsettled.removeAll(this.granted.keySet());
				this.granted.forEach((call, answer) -> {
					if (got >= wanted.replicas()) {
						call.call().complete(answer);
					}
					else {
						call.call().completeExceptionally(wanted.missing().apply(got.intValue()));
					}
				});
			});
		}

		private void end(@Nullable Throwable failure) {
			if (failure != null) {
				ReplicaConnection taken = ReplicatedLane.this.connection;
				if (taken != null) {
					taken.end();
				}
				Throwable cause = RedisErrors.unwrapped(failure);
				this.unsettled.forEach((call) -> call.call()
					.completeExceptionally(
							new IllegalStateException("The connection for acknowledged acquisitions failed", cause)));
			}
			proceed();
		}

	}

}
