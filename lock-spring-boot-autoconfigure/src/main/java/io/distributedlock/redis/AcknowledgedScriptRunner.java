package io.distributedlock.redis;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;

import io.distributedlock.redis.driver.DaemonThreads;
import io.distributedlock.redis.driver.DedicatedConnections;
import io.distributedlock.redis.driver.RedisScript;
import io.distributedlock.redis.driver.ScriptRunner;

/**
 * Runs acquisitions so that a granted lock is on enough replicas before the caller gets
 * it. The script and WAIT go over the same connection, which has no other user meanwhile,
 * since WAIT counts the writes of its own connection only and blocks it. For
 * that there are connections apart from the shared one of the application, and a few
 * threads that block.
 * <p>
 * Acquisitions do not queue one by one behind a WAIT that hangs. While all connections to
 * a node are waiting, what comes is collected, and goes together over the next one that
 * is ready, with a single WAIT for all of them. So each waits for at most one WAIT before
 * its own, and a busy lock for at most one.
 * <p>
 * Only acquisitions wait for replicas. A renewal that a fail-over forgets is a lease that
 * ends earlier, which the next renewal tells.
 */
final class AcknowledgedScriptRunner implements ScriptRunner {

	private static final int MAX_THREADS = 32;

	private final DedicatedConnections connections;

	private final ReplicaAcks acks;

	private final ThreadPoolExecutor threads = DaemonThreads.pool("redis-acks", MAX_THREADS);

	private final ThreadPoolExecutor router = DaemonThreads.pool("redis-acks-route", 1);

	private final Map<String, AcknowledgementLane> lanes = new ConcurrentHashMap<>();

	AcknowledgedScriptRunner(DedicatedConnections connections, ReplicaAcks acks) {
		this.connections = connections;
		this.acks = acks;
	}

	@Override
	public CompletableFuture<Object> run(RedisScript script, byte[][] keys, byte[][] args) {
		AcknowledgedCall call = new AcknowledgedCall(script, keys, args);
		Executor router = this.connections.isCluster() ? this.router : Runnable::run;
		try {
			router.execute(() -> route(call));
		}
		catch (RejectedExecutionException ex) {
			call.completeExceptionally(ex);
		}
		return call;
	}

	private void route(AcknowledgedCall call) {
		try {
			send(call, this.connections.placeOf(call.keys()[0]));
		}
		catch (Throwable ex) {
			call.completeExceptionally(ex);
		}
	}

	private void send(AcknowledgedCall call, String place) {
		this.lanes
			.computeIfAbsent(place,
					(missing) -> new AcknowledgementLane(missing, this.connections, this.acks, this.threads,
							this::send))
			.add(call);
	}

	/** Nothing to do: the first acquisition opens the connection that it needs. */
	@Override
	public void warmUp() {
	}

	@Override
	public void close() {
		DaemonThreads.end(this.router);
		DaemonThreads.end(this.threads);
		this.connections.close();
	}

}
