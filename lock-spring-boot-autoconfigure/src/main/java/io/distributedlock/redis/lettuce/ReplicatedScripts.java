package io.distributedlock.redis.lettuce;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;

import io.distributedlock.redis.driver.Acknowledgement;
import io.distributedlock.redis.driver.DaemonThreads;
import io.distributedlock.redis.driver.RedisScript;
import io.distributedlock.redis.driver.ScriptRunner;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs acquisitions so that a granted lock is on enough replicas before the caller gets
 * it. The script and WAIT go over the same connection, which has no other user meanwhile,
 * since WAIT counts the writes of its own connection only and blocks it. So there are
 * connections apart from the shared one.
 * <p>
 * Only acquisitions wait for replicas. A renewal that a fail-over forgets is a lease that
 * ends earlier, of which the next renewal notifies the holder.
 */
final class ReplicatedScripts implements ScriptRunner {

	private final LettucePrimaries primaries;

	private final Acknowledgement wanted;

	/** All connections to the primaries, of which some may not be reached. */
	private static final int MAX_THREADS = 32;

	/** The driver may block while it connects. */
	private final ThreadPoolExecutor threads = DaemonThreads.pool("redis-acks", MAX_THREADS);

	/** The driver may block while it looks for a node, but not for one that is away. */
	private final ThreadPoolExecutor router = DaemonThreads.pool("redis-acks-route", 1);

	private final Map<String, ReplicatedLane> lanes = new ConcurrentHashMap<>();

	ReplicatedScripts(LettuceConnectionFactory factory, Acknowledgement wanted) {
		this.primaries = new LettucePrimaries(factory);
		this.wanted = wanted;
	}

	@Override
	public CompletableFuture<Object> run(RedisScript script, byte[][] keys, byte[][] args) {
		ReplicatedCall call = new ReplicatedCall(script, keys, args);
		Executor executor = this.primaries.isCluster() ? this.router : Runnable::run;
		try {
			executor.execute(() -> route(call));
		}
		catch (RejectedExecutionException ex) {
			call.completeExceptionally(ex);
		}
		return call;
	}

	private void route(ReplicatedCall call) {
		try {
			send(call, this.primaries.placeOf(call.key()));
		}
		catch (Throwable ex) {
			call.completeExceptionally(ex);
		}
	}

	private void send(ReplicatedCall call, String place) {
		this.lanes
			.computeIfAbsent(place,
					(missing) -> new ReplicatedLane(missing, this.primaries, this.wanted, this.threads, this::send))
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
		this.lanes.values().forEach(ReplicatedLane::close);
		this.primaries.close();
	}

}
