package io.distributedlock.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the least cost of any lock on Redis on this machine: {@code SET NX PX} and
 * {@code DEL} on one connection of the same driver.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class RedisRoundTripBenchmark {

	private final AtomicInteger threads = new AtomicInteger();

	private RedisServer server;

	private RedisClient client;

	private StatefulRedisConnection<String, String> connection;

	@Setup
	public void start() {
		this.server = RedisServers.start();
		this.client = RedisClient.create(RedisURI.create(this.server.host(), this.server.port()));
		this.connection = this.client.connect();
	}

	@TearDown
	public void stop() throws Exception {
		this.client.shutdown();
		this.server.close();
	}

	@Benchmark
	@Threads(1)
	public void setAndDelete(Own own) {
		setAndDelete(own.key);
	}

	@Benchmark
	@Threads(64)
	@BenchmarkMode(Mode.Throughput)
	@OutputTimeUnit(TimeUnit.SECONDS)
	public void setAndDeleteOn64Threads(Own own) {
		setAndDelete(own.key);
	}

	private void setAndDelete(String key) {
		this.connection.sync().set(key, "owner", SetArgs.Builder.nx().px(30_000));
		this.connection.sync().del(key);
	}

	/** The key of one thread. */
	@State(Scope.Thread)
	public static class Own {

		private String key;

		@Setup
		public void create(RedisRoundTripBenchmark benchmark) {
			this.key = "order:" + benchmark.threads.incrementAndGet();
		}

	}

}
