package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.redis.driver.DedicatedConnection;
import io.distributedlock.redis.driver.DedicatedConnection.Reply;
import io.distributedlock.redis.driver.DedicatedConnections;
import io.distributedlock.redis.driver.RedisErrors;
import org.jspecify.annotations.Nullable;

/**
 * The acquisitions on their way to one place. A few workers, each with a connection, take
 * all that has come.
 */
final class AcknowledgementLane implements Runnable {

	private static final int MAX_WORKERS = 4;

	private static final int MAX_BATCH = 64;

	private final String place;

	private final DedicatedConnections connections;

	private final ReplicaAcks acks;

	private final Executor threads;

	private final BiConsumer<AcknowledgedCall, String> elsewhere;

	private final Queue<AcknowledgedCall> calls = new ConcurrentLinkedQueue<>();

	private final AtomicInteger workers = new AtomicInteger();

	AcknowledgementLane(String place, DedicatedConnections connections, ReplicaAcks acks, Executor threads,
			BiConsumer<AcknowledgedCall, String> elsewhere) {
		this.place = place;
		this.connections = connections;
		this.acks = acks;
		this.threads = threads;
		this.elsewhere = elsewhere;
	}

	void add(AcknowledgedCall call) {
		this.calls.add(call);
		startWorker();
	}

	private void startWorker() {
		int working;
		do {
			working = this.workers.get();
			if (working == MAX_WORKERS) {
				// One of them looks again when it is done.
				return;
			}
		}
		while (!this.workers.compareAndSet(working, working + 1));
		try {
			this.threads.execute(this);
		}
		catch (RejectedExecutionException ex) {
			this.workers.decrementAndGet();
			next(Integer.MAX_VALUE).forEach((call) -> call.completeExceptionally(ex));
		}
	}

	@Override
	public void run() {
		for (List<AcknowledgedCall> batch = next(MAX_BATCH); !batch.isEmpty(); batch = next(MAX_BATCH)) {
			serve(batch);
		}
		this.workers.decrementAndGet();
		if (!this.calls.isEmpty()) {
			startWorker();
		}
	}

	private List<AcknowledgedCall> next(int most) {
		List<AcknowledgedCall> batch = new ArrayList<>();
		while (batch.size() < most) {
			AcknowledgedCall call = this.calls.poll();
			if (call == null) {
				break;
			}
			if (!call.isDone()) {
				batch.add(call);
			}
		}
		return batch;
	}

	private void serve(List<AcknowledgedCall> batch) {
		Round round = new Round(batch);
		try (DedicatedConnection connection = this.connections.open(this.place)) {
			List<AcknowledgedCall> unknown = round.take(batch, connection.run(batch));
			if (!unknown.isEmpty()) {
				round.take(unknown, connection.run(unknown));
			}
			round.confirm(connection);
		}
		catch (Throwable ex) {
			round.unsettled.forEach((call) -> call.completeExceptionally(ex));
		}
	}

	/** What goes over a connection together. */
	private final class Round {

		private final Set<AcknowledgedCall> unsettled;

		private final Map<AcknowledgedCall, Object> granted = new HashMap<>();

		Round(List<AcknowledgedCall> batch) {
			this.unsettled = new HashSet<>(batch);
		}

		/** Settles all but what is granted; gives back what has to be sent as text. */
		List<AcknowledgedCall> take(List<AcknowledgedCall> calls, List<Reply> replies) {
			List<AcknowledgedCall> unknown = new ArrayList<>();
			for (int i = 0; i < calls.size(); i++) {
				AcknowledgedCall call = calls.get(i);
				Object value = replies.get(i).value();
				Throwable failure = replies.get(i).failure();
				if (failure != null && RedisErrors.isNoScript(failure) && !call.isBySource()) {
					call.sendSource();
					unknown.add(call);
				}
				else if (value != null && RedisAnswers.isGrant(value)) {
					this.granted.put(call, value);
				}
				else {
					this.unsettled.remove(call);
					settle(call, value, failure);
				}
			}
			return unknown;
		}

		private void settle(AcknowledgedCall call, @Nullable Object value, @Nullable Throwable failure) {
			if (failure == null) {
				call.complete(value);
				return;
			}
			String other = call.redirected(failure, AcknowledgementLane.this.connections);
			if (other != null) {
				AcknowledgementLane.this.elsewhere.accept(call, other);
			}
			else {
				call.completeExceptionally(failure);
			}
		}

		void confirm(DedicatedConnection connection) {
			if (this.granted.isEmpty()) {
				return;
			}
			ReplicaAcks wanted = AcknowledgementLane.this.acks;
			long got = connection.awaitReplicas(wanted.count(), wanted.timeout());
			this.granted.forEach((call, answer) -> {
				if (got >= wanted.count()) {
					call.complete(answer);
				}
				else {
					call.completeExceptionally(missing(wanted, (int) got));
				}
			});
		}

		private static ReplicasNotAcknowledgedException missing(ReplicaAcks wanted, int got) {
			return new ReplicasNotAcknowledgedException(wanted.count(), got,
					("%d of %d replicas confirmed the lock within %d ms, so it does not count. Check the replicas, "
							+ "or lower distributed-lock.redis.replica-acks")
						.formatted(got, wanted.count(), wanted.timeout().toMillis()),
					null);
		}

	}

}
