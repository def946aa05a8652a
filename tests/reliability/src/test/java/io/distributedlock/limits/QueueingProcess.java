package io.distributedlock.limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;

import static org.awaitility.Awaitility.await;

/** Very many callers who want one lock. */
final class QueueingProcess {

	private static final String KEY = "wanted";

	static final int BLOCKING_THREADS = 200;

	/** Their median leaves out memory that the driver's allocator takes and frees. */
	private static final int ROUNDS = 3;

	private static final Duration BUDGET = Duration.ofSeconds(2);

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private final Instance here;

	private final Server server;

	private final int waiters;

	private final Figures figures = new Figures();

	private QueueingProcess(Instance here, Server server, int waiters) {
		this.here = here;
		this.server = server;
		this.waiters = waiters;
	}

	/** Arguments: host, port, number of waiters. */
	public static void main(String[] args) throws Exception {
		String host = args[0];
		int port = Integer.parseInt(args[1]);
		try (Instance here = new Instance(host, port, Duration.ofSeconds(60)); Server server = new Server(host, port)) {
			QueueingProcess process = new QueueingProcess(here, server, Integer.parseInt(args[2]));
			process.serveInOneInstance();
			try (Instance there = new Instance(host, port, Duration.ofSeconds(60))) {
				process.serveInTwoInstances(there);
				process.timeOut(there);
			}
			process.serveThreads();
			process.lookAtWhatIsLeft();
		}
	}

	private static LockRequest request(Duration wait) {
		return LockRequest.of(KEY).waitFor(wait);
	}

	private void serveInOneInstance() throws Exception {
		long[] bytes = new long[ROUNDS];
		for (int round = 0; round < ROUNDS; round++) {
			bytes[round] = serveOnce();
		}
		Arrays.sort(bytes);
		this.figures.put("bytesPerWaiter", bytes[ROUNDS / 2]);
	}

	/** Let all wait while the lock is held, then serve them; return the bytes of each. */
	private long serveOnce() throws Exception {
		Lease first = this.here.registry.acquire(request(Duration.ZERO));
		long before = OwnProcess.usedHeap();
		List<Integer> order = new ArrayList<>();
		List<CompletableFuture<Void>> served = queueUp(this.here.registry, this.waiters, order);
		long bytes = (OwnProcess.usedHeap() - before) / this.waiters;
		await().atMost(Duration.ofSeconds(30)).until(() -> OwnProcess.threads().size() <= Limits.THREADS);
		this.figures.put("threadsWhileWaiting", OwnProcess.threads().size());
		long scripts = this.server.scripts();
		long begin = System.nanoTime();
		first.close();
		awaitAll(served);
		this.figures.put("microsPerGrant", (System.nanoTime() - begin) / 1000 / this.waiters);
		this.figures.put("scriptsPerThousandGrants", (this.server.scripts() - scripts) * 1000 / this.waiters);
		this.figures.put("outOfOrder", outOfOrder(order));
		return bytes;
	}

	/** The order is theirs who are served one after the other, so it needs no lock. */
	private List<CompletableFuture<Void>> queueUp(DefaultLockRegistry registry, int count, List<Integer> order) {
		List<CompletableFuture<Void>> served = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			int index = i;
			served.add(registry.acquireAsync(request(PATIENCE)).toCompletableFuture().thenCompose((lease) -> {
				order.add(index);
				return lease.release();
			}));
		}
		return served;
	}

	private static long outOfOrder(List<Integer> order) {
		long count = 0;
		for (int i = 0; i < order.size(); i++) {
			count += (order.get(i) == i) ? 0 : 1;
		}
		return count;
	}

	private void serveInTwoInstances(Instance there) throws Exception {
		Lease first = this.here.registry.acquire(request(Duration.ZERO));
		List<CompletableFuture<Void>> served = new ArrayList<>(
				queueUp(this.here.registry, this.waiters / 2, new ArrayList<>()));
		served.addAll(queueUp(there.registry, this.waiters / 2, new ArrayList<>()));
		long scripts = this.server.scripts();
		first.close();
		awaitAll(served);
		this.figures.put("scriptsPerThousandGrantsOfTwo", (this.server.scripts() - scripts) * 1000 / this.waiters);
	}

	private void serveThreads() throws Exception {
		AtomicInteger served = new AtomicInteger();
		List<Thread> threads = new ArrayList<>();
		long scripts = this.server.scripts();
		for (int i = 0; i < BLOCKING_THREADS; i++) {
			threads.add(new Thread(() -> {
				try (Lease lease = this.here.registry.acquire(request(PATIENCE))) {
					served.addAndGet(lease.isHeld() ? 1 : 0);
				}
			}));
		}
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join(PATIENCE.toMillis());
		}
		this.figures.put("threadsServed", served.get());
		this.figures.put("scriptsPerThousandThreads", (this.server.scripts() - scripts) * 1000 / BLOCKING_THREADS);
	}

	/** No waiter is served, and all are told when their budget is over. */
	private void timeOut(Instance there) throws Exception {
		try (Lease held = there.registry.acquire(request(Duration.ZERO).ttl(Duration.ofMinutes(5)))) {
			long scripts = this.server.scripts();
			AtomicInteger busy = new AtomicInteger();
			List<CompletableFuture<Void>> ended = new ArrayList<>();
			for (int i = 0; i < this.waiters; i++) {
				ended.add(this.here.registry.acquireAsync(request(BUDGET)).toCompletableFuture().handle((lease, ex) -> {
					busy.addAndGet((ex instanceof LockNotAcquiredException) ? 1 : 0);
					return null;
				}));
			}
			long last = System.nanoTime();
			awaitAll(ended);
			this.figures.put("timedOut", busy.get());
			this.figures.put("timedOutLateMillis", (System.nanoTime() - last) / 1_000_000 - BUDGET.toMillis());
			this.figures.put("scriptsInAllToTimeOut", this.server.scripts() - scripts);
		}
	}

	private void lookAtWhatIsLeft() {
		await().atMost(Duration.ofSeconds(20)).until(() -> OwnProcess.engineObjects() == 0);
		this.figures.put("engineObjectsAfterwards", OwnProcess.engineObjects());
		this.figures.print();
	}

	private static void awaitAll(List<CompletableFuture<Void>> all) throws Exception {
		CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
			.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

}
