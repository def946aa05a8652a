package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockInspection;
import io.distributedlock.LockInspection.Holder;
import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.StoreNode;
import org.jspecify.annotations.Nullable;

/**
 * Monitor of a Redis store. The headers of its scripts describe their arguments.
 */
final class RedisInspection implements StoreMonitor {

	/** Maximum number of fair requests of a lock that are checked for expired entries. */
	private static final int MOST_FAIR = 1_000;

	/** The request that stands for all requests in {@code force.lua}. */
	private static final RequestId ALL = new RequestId(0, 0);

	private final LockServer server;

	private final ScriptRunner runner;

	private final long timeoutMillis;

	private final @Nullable ClusterNodes cluster;

	/** Cleared once the user was not allowed to read the eviction policy. */
	private volatile boolean mayAskPolicy = true;

	RedisInspection(LockServer server, ScriptRunner runner, Duration timeout, @Nullable ClusterNodes cluster) {
		this.server = server;
		this.runner = runner;
		this.timeoutMillis = timeout.toMillis();
		this.cluster = cluster;
	}

	@Override
	public Map<String, Duration> sinceLastAnswer() {
		return this.server.sinceLastAnswer();
	}

	@Override
	public CompletableFuture<LockInspection> inspect(LockKey key) {
		byte[] limits = new byte[8];
		WireFormat.put(limits, WireFormat.put(limits, 0, LockInspection.MOST_HOLDERS, 4), MOST_FAIR, 4);
		byte[][] keys = this.server.format.keys(List.of(key), true);
		return new InspectionCall<>(this.server, LockScript.INSPECT, keys, new byte[][] { limits },
				(answer) -> inspection((List<?>) answer))
			.send(this.runner, this.timeoutMillis);
	}

	private static LockInspection inspection(List<?> values) {
		int permits = WireFormat.count(values.get(0));
		List<Holder> holders = new ArrayList<>();
		for (int i = 5; i < values.size(); i += 4) {
			holders.add(new Holder(HexFormat.of().formatHex((byte[]) values.get(i)), "",
					WireFormat.number(values.get(i + 1)), Duration.ofMillis(WireFormat.number(values.get(i + 2))),
					WireFormat.count(values.get(i + 3))));
		}
		int count = WireFormat.count(values.get(3));
		boolean shared = WireFormat.number(values.get(2)) == 1 && count > 0;
		LockMode mode = (permits > 0) ? LockMode.SEMAPHORE : shared ? LockMode.READ : LockMode.EXCLUSIVE;
		return new LockInspection(mode, permits, List.copyOf(holders), count, WireFormat.count(values.get(4)),
				Duration.ofMillis(WireFormat.number(values.get(1))), List.of());
	}

	@Override
	public CompletableFuture<Integer> forceRelease(ForceReleaseCommand command) {
		if (ALL.equals(command.request())) {
			return CompletableFuture.completedFuture(0);
		}
		RequestId request = (command.request() != null) ? command.request() : ALL;
		List<LockKey> keys = List.of(command.key());
		return new InspectionCall<>(this.server, LockScript.FORCE, this.server.format.keys(keys, true),
				this.server.format.args(keys, request, WireFormat.utf8(command.refusesLater() ? "refuse" : "")),
				(answer) -> WireFormat.count(only(answer)))
			.send(this.runner, this.timeoutMillis);
	}

	@Override
	public CompletableFuture<Void> setPermits(LockKey key, int permits) {
		return ScriptCommand.setPermits(this.server, key, permits).send(this.runner).thenAccept((set) -> {
			if (!set) {
				throw RedisFailures.noSemaphore(this.server.format.name(key));
			}
		});
	}

	@Override
	public CompletableFuture<?> announce(String instance, String name, Duration lifetime) {
		byte[] millis = new byte[6];
		WireFormat.putMillis(millis, 0, lifetime);
		return named(instance, name, millis);
	}

	@Override
	public CompletableFuture<String> nameOf(String instance) {
		return named(instance, "", new byte[0]);
	}

	private CompletableFuture<String> named(String instance, String name, byte[] millis) {
		byte[][] keys = { WireFormat.utf8(this.server.format.prefix + "%instance:" + instance) };
		return new InspectionCall<>(this.server, LockScript.NAME, keys, new byte[][] { WireFormat.utf8(name), millis },
				(answer) -> text(only(answer)))
			.send(this.runner, this.timeoutMillis);
	}

	/** Unwrap a single value, which drivers return as a list. */
	private static Object only(Object answer) {
		return (answer instanceof List<?> values) ? values.get(0) : answer;
	}

	private static String text(Object value) {
		return new String((byte[]) value, StandardCharsets.UTF_8);
	}

	@Override
	public CompletableFuture<List<StoreNode>> nodes() {
		String prefix = this.server.format.prefix + "%health";
		Map<String, byte[]> keys = (this.cluster != null) ? this.cluster.keys(prefix) : Map.of();
		List<CompletableFuture<StoreNode>> nodes = keys.isEmpty() ? List.of(node(WireFormat.utf8(prefix)))
				: keys.entrySet().stream().map((node) -> node(node.getKey(), node.getValue())).toList();
		return CompletableFuture.allOf(nodes.toArray(CompletableFuture<?>[]::new))
			.thenApply((nothing) -> nodes.stream().map(CompletableFuture::join).toList());
	}

	private CompletableFuture<StoreNode> node(byte[] key) {
		String server = this.server.setupOf(key).server();
		return node(server.isEmpty() ? "Redis" : server, key);
	}

	private CompletableFuture<StoreNode> node(String name, byte[] key) {
		long start = System.nanoTime();
		byte[] asks = { (byte) (this.mayAskPolicy ? '1' : '0') };
		return new InspectionCall<>(this.server, LockScript.HEALTH, new byte[][] { key }, new byte[][] { asks },
				(answer) -> node(name, Duration.ofNanos(System.nanoTime() - start), (List<?>) answer))
			.send(this.runner, this.timeoutMillis)
			.exceptionally((failure) -> StoreNode.failed(name, failure(key, failure)));
	}

	private StoreNode node(String name, Duration answeredIn, List<?> values) {
		Instant time = Instant.ofEpochSecond(Long.parseLong(text(values.get(0))),
				1_000 * Long.parseLong(text(values.get(1))));
		String policy = text(values.get(2));
		if (policy.equals("-")) {
			// Do not ask again: each refusal is a line in the log of the server.
			this.mayAskPolicy = false;
		}
		return new StoreNode(name, answeredIn, time, policy.equals("-") ? "" : policy, null);
	}

	private LockStoreException failure(byte[] key, Throwable thrown) {
		Throwable failure = RedisErrors.unwrapped(thrown);
		if (failure instanceof LockStoreException known) {
			return known;
		}
		return (failure instanceof TimeoutException)
				? new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
						"no answer within %d ms".formatted(this.timeoutMillis), failure)
				: this.server.translated(LockScript.HEALTH, new byte[][] { key }, 1, failure);
	}

}
