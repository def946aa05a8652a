package io.distributedlock.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockMode;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.history.Event;
import io.distributedlock.history.NemesisKind;
import io.distributedlock.history.PastFault;
import io.distributedlock.history.Recorder;
import io.distributedlock.history.WitnessClient;
import org.jspecify.annotations.Nullable;

/**
 * The program of a worker: from one line on the standard input to the next its threads
 * take locks and record it.
 */
final class ChaosWorker {

	/** The end of the name of a file that describes a failure. */
	static final String FAILURE = ".failure";

	/** Workers that take longer are ended as by an application that shuts down. */
	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private static final int WARM_UP_ROUNDS = 20;

	private ChaosWorker() {
	}

	public static void main(String[] args) throws Exception {
		PrintStream out = System.out;
		Thread
			.setDefaultUncaughtExceptionHandler((thread, ex) -> fail(Path.of(args[2], args[3] + FAILURE), thread, ex));
		System.setOut(System.err);
		Recorder recorder = Recorder.open(Path.of(args[2]), args[3]);
		Acknowledgements acknowledgements = new Acknowledgements();
		WorkerStore store = WorkerStore.connect(Route.parse(args[0]), recorder, acknowledgements);
		HandOffSignal handOffs = new HandOffSignal(store.store());
		DefaultLockRegistry registry = new DefaultLockRegistry(handOffs, LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withPollInterval(ChaosSettings.POLL).withShutdownGrace(Duration.ofSeconds(1)),
				null);
		ScheduledExecutorService disturber = Executors.newSingleThreadScheduledExecutor(ChaosWorker::daemon);
		List<Worker> workers = new ArrayList<>();
		for (int i = 0; i < Integer.parseInt(args[5]); i++) {
			Random random = new Random(Long.parseLong(args[4]) + i);
			GuardedSection section = new GuardedSection(new WitnessClient(Integer.parseInt(args[1])), random,
					acknowledgements);
			workers.add(new Worker("thread-" + i, registry, store.store(), recorder, section, disturber, random,
					new ChaosKeys(Integer.parseInt(args[6])), i % 3 == 2 && i < 9));
		}
		Recorder past = Recorder.open(Path.of(args[2]), args[3] + "-pulse");
		new Pulse(recorder::time,
				(begin, end) -> past.append(List
					.of(new PastFault(NemesisKind.STOP, Event.ALL, args[3], "process-stood-still", begin, end))))
			.start();
		warmUp(registry, args[3], workers.size());
		out.println("ready");
		Commands commands = new Commands(new ProcessImage(registry), handOffs, out);
		commands.await();
		Thread twin = commands.startTwin(recorder,
				new GuardedSection(new WitnessClient(Integer.parseInt(args[1])), new Random(), acknowledgements));
		workers.forEach(Thread::start);
		commands.await();
		finish(workers, registry);
		twin.join();
		store.close();
		recorder.close();
		out.println("finished " + threadsLeft());
		Runtime.getRuntime().halt(0);
	}

	/**
	 * Connections, classes and compiled code take their time, which no lock is to be
	 * blamed for: as many threads as will work take locks that no others want.
	 */
	private static void warmUp(LockRegistry registry, String proc, int threads) throws InterruptedException {
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		for (int i = 0; i < threads; i++) {
			String name = "warm-up-%s-%d-".formatted(proc, i);
			pool.execute(() -> warmUp(registry, name));
		}
		pool.shutdown();
		pool.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
	}

	private static void warmUp(LockRegistry registry, String name) {
		try {
			for (int round = 0; round < WARM_UP_ROUNDS; round++) {
				for (LockMode mode : List.of(LockMode.EXCLUSIVE, LockMode.READ, LockMode.SEMAPHORE)) {
					LockRequest request = LockRequest.of(name + mode)
						.ttl(ChaosSettings.LONGEST_TTL)
						.waitFor(Duration.ofSeconds(10))
						.mode(mode);
					registry.acquire((mode == LockMode.SEMAPHORE) ? request.permits(2) : request).close();
				}
			}
		}
		catch (LockException ex) {
			// A fault may last; the run has begun already.
		}
	}

	/** Nothing may end a thread: leave word of it, and end the run. */
	private static void fail(Path file, Thread thread, Throwable failure) {
		StringWriter text = new StringWriter();
		text.write("Thread '" + thread.getName() + "' has ended\n");
		failure.printStackTrace(new PrintWriter(text));
		try {
			Files.writeString(file, text.toString());
		}
		catch (IOException ex) {
			failure.addSuppressed(ex);
		}
		Runtime.getRuntime().halt(1);
	}

	private static void finish(List<Worker> workers, DefaultLockRegistry registry) throws InterruptedException {
		workers.forEach(Worker::finish);
		long end = System.nanoTime() + PATIENCE.toNanos();
		for (Worker worker : workers) {
			worker.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
		}
		registry.close();
		for (Worker worker : workers) {
			worker.join();
		}
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task, "disturber");
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * How many threads the library has started and not ended after a while.
	 */
	private static long threadsLeft() throws InterruptedException {
		List<Thread> threads = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("distributed-lock"))
			.toList();
		for (Thread thread : threads) {
			// In pieces, so that it has its time even if the process stands still.
			for (int i = 0; i < 50 && thread.isAlive(); i++) {
				thread.join(100);
			}
		}
		return threads.stream().filter(Thread::isAlive).peek((thread) -> System.err.println("Left: " + thread)).count();
	}

	/** The commands on the standard input. */
	private static final class Commands {

		private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

		private final ProcessImage image;

		private final HandOffSignal handOffs;

		private final PrintStream out;

		/** The lease that was held in the image that this process was restored from. */
		private @Nullable Lease held;

		private Commands(ProcessImage image, HandOffSignal handOffs, PrintStream out) {
			this.image = image;
			this.handOffs = handOffs;
			this.out = out;
		}

		/** Go on with the held lease, which nothing but the clock makes doubtful. */
		private Thread startTwin(Recorder recorder, GuardedSection section) {
			Lease lease = this.held;
			Thread twin = new Thread(() -> {
				if (lease != null) {
					section.watchClone(lease, recorder);
				}
			}, "twin");
			twin.setDaemon(true);
			twin.start();
			return twin;
		}

		/** Obey until an empty line comes, unless the run has ended. */
		private void await() throws IOException {
			for (String line = this.in.readLine(); !"".equals(line); line = this.in.readLine()) {
				if (line == null) {
					Runtime.getRuntime().halt(1);
				}
				else if (line.equals(WorkerProcess.IMAGE)) {
					this.out.println(WorkerProcess.IMAGE + this.image.take());
				}
				else if (line.equals(WorkerProcess.HAND_OFF)) {
					this.handOffs.atTheNext(() -> this.out.println(WorkerProcess.HAND_OFF));
				}
				else {
					this.held = this.image.restore(line);
					this.out.println(WorkerProcess.RESTORED);
				}
			}
		}

	}

}
