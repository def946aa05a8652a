package io.distributedlock.limits;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.event.LockEvent;

import static org.awaitility.Awaitility.await;

/** Holds very many locks, and looks at all of them again and again. */
final class HoldingProcess {

	/** Leases of locks that are not renewed while they are weighed. */
	private static final Duration AT_REST = Duration.ofMinutes(10);

	private static final int WARM_UP = 1_000;

	/** Requests in flight: so many are answered well within the time-out of a command. */
	private static final int IN_FLIGHT = 500;

	private final Instance instance;

	private final Server server;

	private final Lease[] leases;

	private final Duration ttl;

	private final Figures figures = new Figures();

	private long leastMillisLeft = Long.MAX_VALUE;

	private long looks;

	private long mostThreads;

	private HoldingProcess(Instance instance, Server server, int locks, Duration ttl) {
		this.instance = instance;
		this.server = server;
		this.leases = new Lease[locks];
		this.ttl = ttl;
	}

	/**
	 * Arguments: host, port, number of locks, milliseconds, those of a lease. An answer
	 * may take until the next try of a renewal, a sixth of the lease.
	 */
	public static void main(String[] args) throws Exception {
		String host = args[0];
		int port = Integer.parseInt(args[1]);
		Duration ttl = Duration.ofMillis(Long.parseLong(args[4]));
		try (Instance instance = new Instance(host, port, Duration.ofSeconds(60), ttl.dividedBy(6));
				Server server = new Server(host, port)) {
			new HoldingProcess(instance, server, Integer.parseInt(args[2]), ttl)
				.run(Duration.ofMillis(Long.parseLong(args[3])));
		}
	}

	private void run(Duration duration) throws InterruptedException {
		acquire("warm", WARM_UP, this.ttl);
		release(WARM_UP);
		weigh();
		acquire("key-", this.leases.length, this.ttl);
		hold(duration);
		this.figures.put("renewalsFailed", this.instance.events(LockEvent.RenewalFailed.class));
		this.figures.put("lost", this.instance.events(LockEvent.Lost.class));
		release(this.leases.length);
		await().atMost(Duration.ofSeconds(20)).until(() -> OwnProcess.engineObjects() == 0);
		this.figures.put("engineObjectsAfterwards", OwnProcess.engineObjects());
		this.figures.print();
	}

	/** At rest: renewals on their way would be weighed with the locks. */
	private void weigh() throws InterruptedException {
		long before = OwnProcess.usedHeap();
		acquire("key-", this.leases.length, AT_REST);
		this.figures.put("bytesPerLock", perLock(OwnProcess.usedHeap() - before));
		release(this.leases.length);
		this.figures.put("bytesPerLockAfterwards", perLock(OwnProcess.usedHeap() - before));
	}

	/** The names are made here and kept nowhere else. */
	private void acquire(String prefix, int count, Duration ttl) throws InterruptedException {
		Semaphore free = new Semaphore(IN_FLIGHT);
		for (int i = 0; i < count; i++) {
			int index = i;
			free.acquire();
			LockRequest request = LockRequest.of(prefix + i).ttl(ttl).waitFor(AT_REST);
			this.instance.registry.acquireAsync(request).whenComplete((lease, ex) -> {
				this.leases[index] = lease;
				free.release();
			});
		}
		free.acquire(IN_FLIGHT);
	}

	private void release(int count) throws InterruptedException {
		Semaphore free = new Semaphore(IN_FLIGHT);
		for (int i = 0; i < count; i++) {
			free.acquire();
			this.leases[i].release().whenComplete((ignored, ex) -> free.release());
			this.leases[i] = null;
		}
		free.acquire(IN_FLIGHT);
	}

	/** Threads are counted once those that brought the leases had time to go. */
	private void hold(Duration duration) {
		long begin = System.nanoTime();
		long scripts = this.server.scripts();
		long micros = this.server.scriptMicros();
		await().atMost(duration.multipliedBy(2).plusSeconds(10)).pollInterval(Duration.ofMillis(100)).until(() -> {
			long passed = System.nanoTime() - begin;
			look(passed > Math.min(duration.toNanos() / 4 * 3, Duration.ofSeconds(15).toNanos()));
			return passed > duration.toNanos();
		});
		long millis = (System.nanoTime() - begin) / 1_000_000;
		this.figures.put("heldMillis", millis);
		this.figures.put("leastMillisLeft", this.leastMillisLeft);
		this.figures.put("looks", this.looks);
		this.figures.put("threads", this.mostThreads);
		long made = this.server.scripts() - scripts;
		this.figures.put("scriptsPerSecond", made * 1000 / millis);
		this.figures.put("microsPerScript", (this.server.scriptMicros() - micros) / Math.max(1, made));
		this.figures.put("serverBusyPermille", (this.server.scriptMicros() - micros) / millis);
	}

	private void look(boolean settled) {
		this.looks++;
		this.leastMillisLeft = Math.min(this.leastMillisLeft,
				Stream.of(this.leases).mapToLong((lease) -> lease.remaining().toMillis()).min().orElseThrow());
		if (settled) {
			this.mostThreads = Math.max(this.mostThreads, OwnProcess.threads().size());
		}
	}

	private long perLock(long bytes) {
		return bytes / this.leases.length;
	}

}
