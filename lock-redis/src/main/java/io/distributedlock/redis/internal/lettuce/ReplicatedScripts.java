package io.distributedlock.redis.internal.lettuce;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;

import io.distributedlock.redis.internal.driver.Acknowledgement;
import io.distributedlock.redis.internal.driver.DaemonThreads;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs acquisitions so that a granted lock is on enough replicas before the caller gets
 * it. The script and WAIT go over the same connection, since WAIT counts only the writes
 * of its own connection. WAIT blocks that connection, so it has no other user meanwhile,
 * and is not the shared one.
 * <p>
 * Only acquisitions wait for replicas. If a fail-over forgets a renewal, the lease ends
 * earlier, and the next renewal notifies the holder.
 */
final class ReplicatedScripts implements ScriptRunner {

	private final LettuceConnectionFactory factory;

	private final Acknowledgement wanted;

	/** Threads that connect to all primaries, of which some may be unreachable. */
	private static final int MAX_THREADS = 32;

	/** Opens connections, which may block. */
	private final ThreadPoolExecutor threads = DaemonThreads.pool("redis-acks", MAX_THREADS);

	/** Finds the node of a key, which may block, but not on an unreachable node. */
	private final ThreadPoolExecutor router = DaemonThreads.pool("redis-acks-route", 1);

	private final Map<String, ReplicatedLane> lanes = new ConcurrentHashMap<>();

	ReplicatedScripts(LettuceConnectionFactory factory, Acknowledgement wanted) {
		this.factory = factory;
		this.wanted = wanted;
	}

	/**
	 * Return host and port of the primary of a key, or an empty text outside a cluster.
	 * May block.
	 */
	static String placeOf(LettuceConnectionFactory factory, byte[] key) {
		if (!(factory.getRequiredNativeClient() instanceof RedisClusterClient client)) {
			return "";
		}
		int slot = SlotHash.getSlot(key);
		RedisClusterNode node = client.getPartitions().getPartitionBySlot(slot);
		if (node == null) {
			throw new IllegalStateException("CLUSTERDOWN No node is known to serve hash slot " + slot);
		}
		return node.getUri().getHost() + ':' + node.getUri().getPort();
	}

	@Override
	public void run(ScriptCall call) {
		Executor executor = this.factory.isClusterAware() ? this.router : Runnable::run;
		try {
			executor.execute(() -> route(call));
		}
		catch (RejectedExecutionException ex) {
			call.completeExceptionally(ex);
		}
	}

	private void route(ScriptCall call) {
		try {
			send(new ReplicatedCall(call, placeOf(this.factory, call.keys[0])));
		}
		catch (Throwable ex) {
			call.completeExceptionally(ex);
		}
	}

	private void redirected(ReplicatedCall call) {
		try {
			((RedisClusterClient) this.factory.getRequiredNativeClient()).refreshPartitionsAsync()
				.whenComplete((nothing, ex) -> sendAgain(call));
		}
		catch (RuntimeException ex) {
			call.call().completeExceptionally(ex);
		}
	}

	private void sendAgain(ReplicatedCall call) {
		try {
			send(call);
		}
		catch (RuntimeException ex) {
			call.call().completeExceptionally(ex);
		}
	}

	private void send(ReplicatedCall call) {
		this.lanes.computeIfAbsent(call.place(), this::lane).add(call);
	}

	private ReplicatedLane lane(String place) {
		return new ReplicatedLane(() -> ReplicaConnection.open(this.factory, place, this.wanted.patience()),
				this.wanted, this.threads, this::redirected);
	}

	/** The first acquisition opens the connection that it needs. */
	@Override
	public CompletableFuture<?> connect() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void close() {
		DaemonThreads.end(this.router);
		DaemonThreads.end(this.threads);
		this.lanes.values().forEach(ReplicatedLane::close);
	}

}
