package io.distributedlock.limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;

import static org.awaitility.Awaitility.await;

/**
 * Two instances that take very many locks for a moment each, whose names come and go, and
 * which both want. The figures afterwards count everything that is left.
 */
final class ComingAndGoingProcess {

	static final Duration RETENTION = Duration.ofSeconds(2);

	private static final int USES_OF_A_NAME = 5;

	private static final int MOST_MILLIS_HELD = 1_000;

	private final Server server;

	private final long end;

	private final LongAdder served = new LongAdder();

	private final Figures figures = new Figures();

	private ComingAndGoingProcess(Server server, Duration duration) {
		this.server = server;
		this.end = System.nanoTime() + duration.toNanos();
	}

	/** Arguments: host, port, number of keys at a time, milliseconds. */
	public static void main(String[] args) throws Exception {
		String host = args[0];
		int port = Integer.parseInt(args[1]);
		try (Server server = new Server(host, port)) {
			ComingAndGoingProcess process = new ComingAndGoingProcess(server,
					Duration.ofMillis(Long.parseLong(args[3])));
			try (Instance here = new Instance(host, port, RETENTION);
					Instance there = new Instance(host, port, RETENTION)) {
				process.comeAndGo(List.of(here, there), Integer.parseInt(args[2]));
				process.lookAtWhatIsLeft();
			}
			process.measureAfterTheClose();
		}
	}

	private void comeAndGo(List<Instance> instances, int keys) throws Exception {
		List<CompletableFuture<Void>> all = new ArrayList<>();
		for (int i = 0; i < keys; i++) {
			for (Instance instance : instances) {
				all.add(use(instance, i, 0));
			}
		}
		this.figures.put("channelsWhile", awaitChannels(instances.size()));
		CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
			.get(this.end - System.nanoTime() + Duration.ofMinutes(1).toNanos(), TimeUnit.NANOSECONDS);
		this.figures.put("served", this.served.sum());
	}

	private long awaitChannels(long wanted) {
		await().atMost(Duration.ofSeconds(20)).until(() -> this.server.channels() == wanted);
		return this.server.channels();
	}

	private CompletableFuture<Void> use(Instance instance, int slot, int use) {
		if (System.nanoTime() > this.end) {
			return CompletableFuture.completedFuture(null);
		}
		LockRequest request = LockRequest.of("slot-" + slot + "-" + use / USES_OF_A_NAME)
			.waitFor(Duration.ofSeconds(30));
		return instance.registry.acquireAsync(request)
			.toCompletableFuture()
			.thenComposeAsync(this::release, later())
			.thenCompose((released) -> use(instance, slot, use + 1));
	}

	private static Executor later() {
		return CompletableFuture.delayedExecutor(ThreadLocalRandom.current().nextInt(MOST_MILLIS_HELD),
				TimeUnit.MILLISECONDS);
	}

	private CompletableFuture<Void> release(Lease lease) {
		this.served.increment();
		return lease.release().toCompletableFuture();
	}

	/** While the instances are open. */
	private void lookAtWhatIsLeft() {
		long begin = System.nanoTime();
		await().pollInterval(Duration.ofMillis(50))
			.atMost(RETENTION.multipliedBy(5))
			.until(() -> this.server.keys() == 0);
		this.figures.put("keysGoneAfterMillis", (System.nanoTime() - begin) / 1_000_000);
		await().atMost(Duration.ofSeconds(20)).until(() -> OwnProcess.engineObjects() == 0);
		this.figures.put("engineObjects", OwnProcess.engineObjects());
		await().atMost(Duration.ofSeconds(30)).until(() -> OwnProcess.threads().size() <= 2 * Limits.THREADS);
		this.figures.put("threadsOfTwo", OwnProcess.threads().size());
		this.figures.put("channels", this.server.channels());
	}

	private void measureAfterTheClose() {
		await().atMost(Duration.ofSeconds(20)).until(() -> OwnProcess.threads().isEmpty());
		this.figures.put("threadsWhenClosed", OwnProcess.threads().size());
		this.figures.put("channelsWhenClosed", awaitChannels(0));
		this.figures.put("keysWhenClosed", this.server.keys());
		this.figures.print();
	}

}
