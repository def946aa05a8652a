package io.distributedlock.faults;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;

/**
 * A holder with more busy threads than the machine has processors, which can be throttled
 * as a container is that has used up its share: stopped, and let run for ever shorter
 * moments. It looks at its lease all the time.
 */
final class StarvedProcess extends OtherProcess {

	private static final int BUSY_THREADS = 16;

	/** Runs for 30 ms of every 180, then for 29, and so on down to one. */
	private static final String THROTTLE = """
			ms=30
			while kill -STOP "$0"; do
				sleep 0.15
				kill -CONT "$0"
				sleep "0.0$(printf %02d $ms)"
				[ $ms -gt 1 ] && ms=$((ms - 1))
			done
			""";

	final long token;

	private Process throttle;

	StarvedProcess(String host, int port, String key, Duration ttl) throws IOException {
		super(StarvedProcess.class, host, Integer.toString(port), key, ttl.toString());
		this.token = Long.parseLong(answer("token "));
	}

	public static void main(String[] args) throws Exception {
		PrintStream out = System.out;
		System.setOut(System.err);
		DefaultLockRegistry registry = registry(args[0], args[1]);
		CountDownLatch told = new CountDownLatch(1);
		// It may have lost the lease before it is told to begin, and then never asks
		// again.
		long believed = System.nanoTime();
		Lease lease = registry.acquire(LockRequest.of(args[2]).ttl(Duration.parse(args[3])));
		lease.onLost(told::countDown);
		out.println("token " + lease.fencingToken());
		System.in.read();
		for (int i = 0; i < BUSY_THREADS; i++) {
			startBusyThread(told);
		}
		long before = System.nanoTime();
		while (lease.isHeld()) {
			believed = before;
			before = System.nanoTime();
		}
		told.await();
		out.println("believed " + believed);
		System.in.read();
		Runtime.getRuntime().halt(0);
	}

	private static void startBusyThread(CountDownLatch told) {
		Thread busy = new Thread(() -> {
			while (told.getCount() > 0) {
				Thread.onSpinWait();
			}
		});
		busy.setDaemon(true);
		busy.start();
	}

	void throttle() throws IOException {
		nudge();
		this.throttle = new ProcessBuilder("/bin/sh", "-c", THROTTLE, Long.toString(pid())).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
	}

	void relieve() throws InterruptedException {
		this.throttle.destroyForcibly().waitFor();
		resume();
	}

	/**
	 * The last time at which the process asked for its lease and was told that it holds
	 * it. It has been told of the loss by then.
	 */
	long lastBelieved() throws IOException {
		return Long.parseLong(answer("believed "));
	}

}
