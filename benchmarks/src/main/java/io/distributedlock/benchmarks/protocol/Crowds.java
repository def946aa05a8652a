package io.distributedlock.benchmarks.protocol;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

import static io.distributedlock.benchmarks.protocol.ProtocolBenchmark.text;

/**
 * Measures the cost of many fair waiters or many readers of one key. They belong to three
 * instances. Each crowd has a new server, and a time limit.
 */
public final class Crowds implements AutoCloseable {

	private static final int INSTANCES = 3;

	/** Size of a crowd after which all code is compiled. */
	private static final int WARM_UP = 200;

	/** Number of readers that come at once, so that none of them times out. */
	private static final int PORTION = 100;

	private final RedisServer server = RedisServers.start();

	private final ServerFigures figures = new ServerFigures(this.server);

	private final List<Instance> instances = new ArrayList<>();

	private final LockRequest request = LockRequest.of("crowd")
		.waitFor(Duration.ofMinutes(10))
		.ttl(Duration.ofMinutes(10));

	private final AtomicInteger served = new AtomicInteger();

	private final long limit;

	private volatile long lastServed;

	private final Thread bystander = new Thread(this::ping, "bystander");

	private long longestScript = 100;

	private volatile long longestPing;

	private Crowds(long limit) {
		this.limit = limit;
		for (int i = 0; i <= INSTANCES; i++) {
			this.instances.add(Instance.lettuce(this.server.host(), this.server.port()));
		}
	}

	/**
	 * Measure hand-offs among fair waiters of one key.
	 * @param sizes the numbers of waiters
	 * @param rounds the number of runs of each crowd
	 * @param limit the time limit of a crowd, in nanoseconds
	 * @return a table, as Markdown
	 * @throws Exception if a crowd failed
	 */
	public static String fair(int[] sizes, int rounds, long limit) throws Exception {
		fair(WARM_UP, limit);
		StringBuilder table = new StringBuilder();
		table.append(text("| fair waiters, best of %d rounds | hand-offs/s | longest script, ms"
				+ " | worst PING of another client, ms |%n|---|---|---|---|%n", rounds));
		for (int size : sizes) {
			Outcome best = fair(size, limit);
			for (int round = 1; round < rounds && best.reached(); round++) {
				best = best.orBetter(fair(size, limit));
			}
			String rate = best.reached() ? text("%.0f", size / best.seconds())
					: text("not reached: %d in %.0f s", best.served(), best.seconds());
			table.append(text("| %d | %s | %s%n", size, rate, best.hindrance()));
		}
		return table.toString();
	}

	/**
	 * Measure readers of one key that leave while a writer waits.
	 * @param sizes the numbers of readers
	 * @param rounds the number of runs of each crowd
	 * @param limit the time limit of a crowd, in nanoseconds
	 * @return a table, as Markdown
	 * @throws Exception if a crowd failed
	 */
	public static String readers(int[] sizes, int rounds, long limit) throws Exception {
		readers(WARM_UP, limit);
		StringBuilder table = new StringBuilder();
		table.append(text("| readers that leave while a writer waits, best of %d rounds | server time in scripts, s"
				+ " | until the writer has it, s | longest script, ms | worst PING of another client, ms |"
				+ "%n|---|---|---|---|---|%n", rounds));
		for (int size : sizes) {
			table.append(text("| %d | %s%n", size, readers(size, rounds, limit)));
		}
		return table.toString();
	}

	private static String readers(int size, int rounds, long limit) throws Exception {
		try {
			Outcome best = readers(size, limit);
			for (int round = 1; round < rounds && best.reached(); round++) {
				best = best.orBetter(readers(size, limit));
			}
			String cost = best.reached() ? text("%.2f | %.2f", best.serverSeconds(), best.seconds())
					: text("more than %.2f | not reached in %.0f", best.serverSeconds(), best.seconds());
			return text("%s | %s", cost, best.hindrance());
		}
		catch (CompletionException ex) {
			return text("not reached: %s |", ex.getCause());
		}
	}

	private static Outcome fair(int size, long limit) throws Exception {
		try (Crowds crowd = new Crowds(limit)) {
			return crowd.fair(size);
		}
	}

	private static Outcome readers(int size, long limit) throws Exception {
		try (Crowds crowd = new Crowds(limit)) {
			return crowd.readers(size);
		}
	}

	private Outcome fair(int size) throws Exception {
		Lease first = acquire(0, LockMode.FAIR).get();
		for (int i = 0; i < size; i++) {
			acquire(i % INSTANCES, LockMode.FAIR).thenAccept(this::serve);
		}
		// Each waiter has attempted once, so all of them wait.
		await(() -> this.figures.scripts() > size);
		this.bystander.start();
		long start = System.nanoTime();
		first.release();
		boolean reached = await(() -> this.served.get() == size);
		return outcome(reached, start, 0);
	}

	private void serve(Lease lease) {
		this.lastServed = System.nanoTime();
		this.served.incrementAndGet();
		lease.release();
	}

	private Outcome readers(int size) throws Exception {
		List<Lease> leases = new ArrayList<>();
		while (leases.size() < size) {
			List<CompletableFuture<Lease>> portion = new ArrayList<>();
			for (int i = leases.size(); i < size && portion.size() < PORTION; i++) {
				portion.add(acquire(i % INSTANCES, LockMode.READ));
			}
			portion.forEach((lease) -> leases.add(lease.join()));
		}
		long before = this.figures.scripts();
		CompletableFuture<Lease> writer = acquire(INSTANCES, LockMode.EXCLUSIVE);
		await(() -> this.figures.scripts() > before);
		this.bystander.start();
		return leave(leases, writer);
	}

	private Outcome leave(List<Lease> leases, CompletableFuture<Lease> writer) throws Exception {
		long micros = this.figures.scriptMicros();
		long start = System.nanoTime();
		writer.thenAccept(this::serve);
		leases.forEach(Lease::release);
		boolean reached = await(() -> this.served.get() == 1);
		return outcome(reached, start, this.figures.scriptMicros() - micros);
	}

	private Outcome outcome(boolean reached, long start, long serverMicros) {
		long nanos = reached ? this.lastServed - start : this.limit;
		return new Outcome(reached, this.served.get(), nanos / 1e9, serverMicros / 1e6, this.longestScript / 1e3,
				this.longestPing / 1e6);
	}

	/** Ping from another client, on its own connection. */
	private void ping() {
		try (RedisClient client = RedisClient.builder()
			.hostAndPort(this.server.host(), this.server.port())
			.clientConfig(DefaultJedisClientConfig.builder().socketTimeoutMillis(60_000).build())
			.build()) {
			client.ping();
			while (true) {
				long start = System.nanoTime();
				client.ping();
				this.longestPing = Math.max(this.longestPing, System.nanoTime() - start);
				TimeUnit.MILLISECONDS.sleep(2);
			}
		}
		catch (InterruptedException ignored) {
			// The crowd is measured.
		}
	}

	private CompletableFuture<Lease> acquire(int instance, LockMode mode) {
		return this.instances.get(instance).registry().acquireAsync(this.request.mode(mode)).toCompletableFuture();
	}

	/**
	 * Wait for a condition until the limit, and note the longest script meanwhile. Return
	 * {@code true} if the condition was met.
	 */
	private boolean await(BooleanSupplier condition) throws InterruptedException {
		long end = System.nanoTime() + this.limit;
		boolean reached = condition.getAsBoolean();
		while (!reached && System.nanoTime() < end) {
			TimeUnit.MILLISECONDS.sleep(20);
			this.longestScript = this.figures.longestScript(this.longestScript);
			reached = condition.getAsBoolean();
		}
		this.longestScript = this.figures.longestScript(this.longestScript);
		return reached;
	}

	/** Stop the server first: without it, an instance closes at once. */
	@Override
	public void close() throws InterruptedException {
		this.bystander.interrupt();
		this.bystander.join();
		this.server.close();
		this.instances.forEach(Instance::close);
	}

	/**
	 * The figures of one crowd. Other programs can make each figure worse, never better.
	 *
	 * @param reached {@code true} if all were served
	 * @param served the number of requests that were served
	 * @param seconds the time until the last one was served, or the limit
	 * @param serverSeconds the time of all scripts
	 * @param longestScript milliseconds
	 * @param longestPing milliseconds
	 */
	private record Outcome(boolean reached, int served, double seconds, double serverSeconds, double longestScript,
			double longestPing) {

		Outcome orBetter(Outcome other) {
			return new Outcome(this.reached || other.reached, Math.max(this.served, other.served),
					Math.min(this.seconds, other.seconds), Math.min(this.serverSeconds, other.serverSeconds),
					Math.min(this.longestScript, other.longestScript), Math.min(this.longestPing, other.longestPing));
		}

		String hindrance() {
			return text("%.2f | %.1f |", this.longestScript, this.longestPing);
		}

	}

}
