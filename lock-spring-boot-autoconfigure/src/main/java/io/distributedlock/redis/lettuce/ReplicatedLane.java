package io.distributedlock.redis.lettuce;

import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.distributedlock.redis.driver.Acknowledgement;
import io.distributedlock.redis.driver.DaemonThreads;
import io.distributedlock.redis.driver.RedisErrors;
import org.jspecify.annotations.Nullable;

/**
 * The acquisitions on their way to one primary, over a few connections. While all of them
 * wait for replicas, new calls are collected, and go together over the next connection
 * that is ready, with a single WAIT for all of them. So a call waits for at most one WAIT
 * before its own.
 */
final class ReplicatedLane implements AutoCloseable {

	static final int MOST_CONNECTIONS = 4;

	private static final int MAX_BATCH = 64;

	private final String place;

	private final LettucePrimaries primaries;

	private final Acknowledgement wanted;

	private final Executor connector;

	private final BiConsumer<ReplicatedCall, String> elsewhere;

	private final Queue<ReplicatedCall> calls = new ConcurrentLinkedQueue<>();

	private final AtomicInteger rounds = new AtomicInteger();

	private final Deque<ReplicaConnection> idle = new ConcurrentLinkedDeque<>();

	private final Set<ReplicaConnection> used = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	ReplicatedLane(String place, LettucePrimaries primaries, Acknowledgement wanted, Executor connector,
			BiConsumer<ReplicatedCall, String> elsewhere) {
		this.place = place;
		this.primaries = primaries;
		this.wanted = wanted;
		this.connector = connector;
		this.elsewhere = elsewhere;
	}

	void add(ReplicatedCall call) {
		this.calls.add(call);
		begin();
	}

	/**
	 * One more round, unless there are as many as connections: each looks for more calls.
	 */
	private void begin() {
		int present;
		do {
			present = this.rounds.get();
			if (present == MOST_CONNECTIONS) {
				return;
			}
		}
		while (!this.rounds.compareAndSet(present, present + 1));
		proceed();
	}

	private void proceed() {
		List<ReplicatedCall> batch = next();
		if (!batch.isEmpty()) {
			new Round(batch).start();
			return;
		}
		this.rounds.decrementAndGet();
		if (!this.calls.isEmpty()) {
			begin();
		}
	}

	private List<ReplicatedCall> next() {
		List<ReplicatedCall> batch = new ArrayList<>();
		while (batch.size() < MAX_BATCH) {
			ReplicatedCall call = this.calls.poll();
			if (call == null) {
				break;
			}
			if (!call.isDone()) {
				batch.add(call);
			}
		}
		return batch;
	}

	private CompletableFuture<ReplicaConnection> connection() {
		for (ReplicaConnection next = this.idle.poll(); next != null; next = this.idle.poll()) {
			if (next.isIntact()) {
				return CompletableFuture.completedFuture(next);
			}
			next.end();
		}
		return CompletableFuture.supplyAsync(
				() -> new ReplicaConnection(this.primaries.connect(this.place), this.wanted.patience()),
				this.connector);
	}

	/** What fails for one connection has likely ended the others to the place. */
	private void giveBack(ReplicaConnection connection) {
		this.used.remove(connection);
		this.idle.push(connection);
		if (this.closed || !connection.isIntact()) {
			endIdle();
		}
	}

	private CompletableFuture<Void> endIdle() {
		List<CompletableFuture<Void>> ends = new ArrayList<>();
		for (ReplicaConnection next = this.idle.poll(); next != null; next = this.idle.poll()) {
			ends.add(next.end());
		}
		return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
	}

	@Override
	public void close() {
		this.closed = true;
		endIdle().join();
		DaemonThreads.afterLastWords(() -> this.used.forEach(ReplicaConnection::end));
	}

	/** The calls that go over a connection together. */
	private final class Round {

		private final List<ReplicatedCall> batch;

		private final Set<ReplicatedCall> unsettled;

		private final Map<ReplicatedCall, Object> granted = new HashMap<>();

		private @Nullable ReplicaConnection connection;

		Round(List<ReplicatedCall> batch) {
			this.batch = batch;
			this.unsettled = new HashSet<>(batch);
		}

		void start() {
			CompletableFuture<ReplicaConnection> connecting;
			try {
				connecting = connection();
			}
			catch (RuntimeException ex) {
				connecting = CompletableFuture.failedFuture(ex);
			}
			connecting.thenCompose(this::run).whenComplete((nothing, failure) -> end(failure));
		}

		private CompletableFuture<Void> run(ReplicaConnection taken) {
			this.connection = taken;
			ReplicatedLane.this.used.add(taken);
			return taken.run(this.batch)
				.thenApply((replies) -> take(this.batch, replies))
				.thenCompose((asText) -> asText.isEmpty() ? CompletableFuture.completedFuture(asText)
						: taken.run(asText).thenApply((replies) -> take(asText, replies)))
				.thenCompose((nothing) -> confirm(taken));
		}

		/** Settles all but what is granted; returns what is to be sent as text. */
		private List<ReplicatedCall> take(List<ReplicatedCall> sent, List<ReplicaConnection.Reply> replies) {
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
					this.unsettled.remove(call);
				}
			}
			return asText;
		}

		private void settle(ReplicatedCall call, @Nullable Object value, @Nullable Throwable failure) {
			String other = (failure != null) ? call.redirected(failure) : null;
			if (other != null) {
				ReplicatedLane.this.primaries.refresh();
				ReplicatedLane.this.elsewhere.accept(call, other);
			}
			else if (failure != null) {
				call.completeExceptionally(failure);
			}
			else {
				call.complete(value);
			}
		}

		private CompletableFuture<Void> confirm(ReplicaConnection taken) {
			if (this.granted.isEmpty()) {
				return CompletableFuture.completedFuture(null);
			}
			Acknowledgement wanted = ReplicatedLane.this.wanted;
			return taken.awaitReplicas(wanted.replicas(), wanted.timeout())
				.thenAccept((got) -> this.granted.forEach((call, answer) -> {
					if (got >= wanted.replicas()) {
						call.complete(answer);
					}
					else {
						call.completeExceptionally(wanted.missing().apply(got.intValue()));
					}
				}));
		}

		private void end(@Nullable Throwable failure) {
			ReplicaConnection taken = this.connection;
			if (failure != null) {
				Throwable cause = RedisErrors.unwrapped(failure);
				this.unsettled.forEach((call) -> call.completeExceptionally(
						new IllegalStateException("The connection for acknowledged acquisitions failed", cause)));
				if (taken != null) {
					taken.end();
				}
			}
			if (taken != null) {
				giveBack(taken);
			}
			proceed();
		}

	}

}
