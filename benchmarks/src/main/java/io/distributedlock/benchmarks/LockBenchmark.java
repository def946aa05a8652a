package io.distributedlock.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LeaseLock;
import io.distributedlock.LockRegistry;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Lock and unlock without contention: every thread has a key of its own. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class LockBenchmark {

	@Param({ "memory", "redis" })
	private String store;

	private final AtomicInteger threads = new AtomicInteger();

	private @Nullable RedisServer server;

	private @Nullable LettuceConnectionFactory connections;

	private DefaultLockRegistry registry;

	@Setup
	public void start() {
		this.registry = new DefaultLockRegistry("redis".equals(this.store) ? redis() : new MemoryLockStore());
	}

	private LockStore redis() {
		RedisServer started = RedisServers.start();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(started.host(), started.port());
		factory.afterPropertiesSet();
		factory.start();
		this.server = started;
		this.connections = factory;
		return new RedisLockStore(factory, RedisStoreSettings.DEFAULTS);
	}

	@TearDown
	public void stop() throws Exception {
		this.registry.close();
		if (this.connections != null) {
			this.connections.destroy();
		}
		if (this.server != null) {
			this.server.close();
		}
	}

	@Benchmark
	@Threads(1)
	public void lockAndUnlock(Own own) {
		own.lock.lock();
		own.lock.unlock();
	}

	@Benchmark
	@Threads(64)
	@BenchmarkMode(Mode.Throughput)
	@OutputTimeUnit(TimeUnit.SECONDS)
	public void lockAndUnlockOn64Threads(Own own) {
		own.lock.lock();
		own.lock.unlock();
	}

	@Benchmark
	@Threads(1)
	public void lockAndUnlockAgain(Held held) {
		held.lock.lock();
		held.lock.unlock();
	}

	/** Reads the wall clock and the monotonic clock, each once. */
	@Benchmark
	@Threads(1)
	@BenchmarkMode(Mode.AverageTime)
	@OutputTimeUnit(TimeUnit.NANOSECONDS)
	public boolean isHeld(Held held) {
		return held.lock.lease().isHeld();
	}

	/** The lock of one thread. */
	@State(Scope.Thread)
	public static class Own {

		private LeaseLock lock;

		@Setup
		public void create(LockBenchmark benchmark) {
			this.lock = lockOf(benchmark);
		}

	}

	/** The lock of one thread, which holds it already. */
	@State(Scope.Thread)
	public static class Held {

		private LeaseLock lock;

		@Setup
		public void lock(LockBenchmark benchmark) {
			this.lock = lockOf(benchmark);
			this.lock.lock();
		}

		@TearDown
		public void unlock() {
			this.lock.unlock();
		}

	}

	private static LeaseLock lockOf(LockBenchmark benchmark) {
		LockRegistry registry = benchmark.registry;
		return registry.getLock("order:" + benchmark.threads.incrementAndGet());
	}

}
