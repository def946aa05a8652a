package io.distributedlock.faults;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

import io.distributedlock.LockException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Threads that ask for locks of new keys without a pause, on a server that is stopped for
 * a while and goes on.
 */
final class FreezeStorm implements AutoCloseable {

	private static final int THREADS = 100;

	private static final Duration LONGEST = Duration.ofSeconds(60);

	private final FaultyRedis redis = new FaultyRedis();

	private final FaultProxy proxy = this.redis.proxy();

	private final DefaultLockRegistry registry;

	private final LockMode mode;

	private final Duration budget;

	private final AtomicLong keys = new AtomicLong();

	/** When each thread has had a lock last, or zero. */
	private final AtomicLongArray servedAt = new AtomicLongArray(THREADS);

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean ended;

	FreezeStorm(Driver driver, LockMode mode, Duration budget) {
		this.registry = this.redis.instance(driver, this.proxy);
		this.mode = mode;
		this.budget = budget;
	}

	/**
	 * Let the storm go on over a time in which nothing is answered.
	 * @return how long after the server's first answer the last thread had a lock
	 */
	Duration over(Standstill standstill, Duration time) {
		IntStream.range(0, THREADS).forEach(this::start);
		awaitServed(Long.MIN_VALUE);
		long answeredAt = standStill(standstill, time).join();
		return Duration.ofNanos(awaitServed(answeredAt) - answeredAt);
	}

	/** The time of the first answer after that. */
	private CompletableFuture<Long> standStill(Standstill standstill, Duration time) {
		standstill.begin(this.redis, this.proxy, time);
		long end = System.nanoTime() + time.toNanos();
		CompletableFuture<Long> answeredAt = CompletableFuture.supplyAsync(this::awaitAnswer);
		await().atMost(time.multipliedBy(2)).until(() -> System.nanoTime() > end);
		assertThat(answeredAt).as("nothing is answered").isNotDone();
		standstill.end(this.redis, this.proxy);
		return answeredAt;
	}

	private long awaitAnswer() {
		while (true) {
			try (Socket probe = new Socket(this.proxy.host(), this.proxy.port())) {
				probe.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
				if (probe.getInputStream().read() == '+') {
					return System.nanoTime();
				}
			}
			catch (IOException ex) {
				// The connection is reset at the end.
			}
		}
	}

	/**
	 * Wait until each thread has had a lock since that time.
	 * @return when the last one had
	 */
	private long awaitServed(long time) {
		long[] first = new long[THREADS];
		await().atMost(LONGEST).pollInterval(Duration.ofMillis(1)).until(() -> {
			IntStream.range(0, THREADS)
				.filter((i) -> first[i] == 0 && this.servedAt.get(i) != 0 && this.servedAt.get(i) > time)
				.forEach((i) -> first[i] = this.servedAt.get(i));
			return Arrays.stream(first).allMatch((at) -> at != 0);
		});
		return Arrays.stream(first).max().orElseThrow();
	}

	private void start(int index) {
		Thread thread = new Thread(() -> ask(index), "storm-" + index);
		this.threads.add(thread);
		thread.start();
	}

	private void ask(int index) {
		while (!this.ended) {
			LockRequest request = LockRequest.of("key-" + this.keys.incrementAndGet()).waitFor(this.budget);
			try {
				this.registry.acquire((this.mode == LockMode.SEMAPHORE) ? request.permits(1) : request.mode(this.mode))
					.close();
				this.servedAt.set(index, System.nanoTime());
			}
			catch (LockException expected) {
				// The server is stopped.
			}
		}
	}

	@Override
	public void close() throws Exception {
		this.ended = true;
		for (Thread thread : this.threads) {
			thread.join(LONGEST.toMillis());
		}
		this.redis.close();
	}

}
