package io.distributedlock.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.faults.ServerClock;
import io.distributedlock.history.Attempt;
import io.distributedlock.history.Event;
import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;
import io.distributedlock.history.Quiescence;
import io.distributedlock.history.Recorder;
import io.distributedlock.history.Witness;
import io.distributedlock.history.WitnessClient;

/** The parts of a run: the server, the workers, and all that is between them. */
final class Arena implements AutoCloseable {

	/** The process that faults are recorded by. */
	static final String PROC = "nemesis";

	private final ChaosSettings settings;

	private final Path directory;

	private final Topology topology;

	private final Recorder recorder;

	private final Witness witness;

	private final List<WorkerProcess> workers = new ArrayList<>();

	private final List<Link> links = new ArrayList<>();

	/** How many processes there have been, by which their names and seeds differ. */
	private int started;

	private final CountDownLatch over = new CountDownLatch(1);

	/** Counts the begins and the ends of replacements of a master, one at a time. */
	private final AtomicInteger replacements = new AtomicInteger();

	private final Unasked unasked;

	Arena(ChaosSettings settings, Path directory) throws IOException {
		this.settings = settings;
		this.directory = directory;
		this.topology = settings.topology().start(settings.clocks());
		this.recorder = Recorder.open(directory, PROC);
		this.witness = Witness.start(directory);
		this.unasked = new Unasked(this.recorder, this.witness, this.topology.servers(),
				this.topology.judge(keys(), this.replacements::get));
	}

	void startWorkers() throws IOException {
		for (int i = 0; i < this.settings.processes(); i++) {
			Link link = new Link(this.topology.proxies(), ChaosDriver.of(i, this.settings.topology()));
			this.links.add(link);
			this.workers.add(startWorker(link));
		}
		for (WorkerProcess worker : this.workers) {
			worker.awaitReady();
		}
	}

	void beginWork() throws IOException {
		for (WorkerProcess worker : this.workers) {
			worker.beginWork();
		}
	}

	private WorkerProcess startWorker(Link link) throws IOException {
		this.started++;
		return WorkerProcess.start("worker-" + this.started, link, this.topology, this.directory, this.witness.port(),
				this.settings);
	}

	ChaosSettings settings() {
		return this.settings;
	}

	Topology topology() {
		return this.topology;
	}

	/** Only in a run whose clocks are set. */
	ServerClock serverClock() {
		return Objects.requireNonNull(this.topology.clock());
	}

	/** Set the wall clocks of all processes. */
	void stepClients(Duration step) {
		this.links.forEach((link) -> link.clock().step(step));
	}

	/** A worker, as the dice falls. */
	WorkerProcess worker(Random random) {
		return this.workers.get(random.nextInt(this.workers.size()));
	}

	/** The workers that run now. */
	List<WorkerProcess> workers() {
		return List.copyOf(this.workers);
	}

	/** Start another process in the place of one that has ended. */
	void replace(WorkerProcess ended) throws IOException {
		prepareInPlaceOf(ended).beginWork();
	}

	/** Start another process, which does not work yet. */
	WorkerProcess prepareInPlaceOf(WorkerProcess ended) throws IOException {
		ended.close();
		WorkerProcess next = startWorker(ended.link());
		this.workers.set(this.workers.indexOf(ended), next);
		next.awaitReady();
		return next;
	}

	List<String> keys() {
		return this.settings.chaosKeys().all();
	}

	String key(Random random) {
		List<String> keys = keys();
		return keys.get(random.nextInt(keys.size()));
	}

	/** A fault of the server, which affects all processes. */
	Fault fault(NemesisKind kind, String description) {
		return fault(kind, Event.ALL, description);
	}

	Fault fault(NemesisKind kind, String key, String description) {
		return this.recorder.fault(kind, key, Event.ALL, description);
	}

	/** A fault of the locks of one server; the description counts it once. */
	FaultGroup faults(NemesisKind kind, List<String> keys, String description) {
		List<Fault> faults = new ArrayList<>();
		for (String key : keys) {
			faults.add(fault(kind, key, faults.isEmpty() ? description : ""));
		}
		return new FaultGroup(faults);
	}

	/** A master is replaced on purpose until this is closed. */
	Replacement replacing() {
		this.replacements.incrementAndGet();
		return this.replacements::incrementAndGet;
	}

	/** Some locks are out of reach, of one process or all. */
	FaultGroup outage(String proc, Predicate<String> which) {
		return new FaultGroup(keys().stream()
			.filter(which)
			.map((key) -> this.recorder.fault(NemesisKind.OUTAGE, key, proc, ""))
			.toList());
	}

	/** Some of several independent nodes may forget who is in line there. */
	FaultGroup forgetting(List<String> nodes) {
		return new FaultGroup(
				nodes.stream().map((node) -> this.recorder.fault(NemesisKind.NODE, Event.ALL, node, "")).toList());
	}

	/** A fault of one process. */
	Fault fault(NemesisKind kind, WorkerProcess target, String description) {
		return this.recorder.fault(kind, Event.ALL, target.proc(), description);
	}

	/** Let a fault last, or be over with the run. */
	void lasts(Duration duration) throws InterruptedException {
		this.over.await(duration.toMillis(), TimeUnit.MILLISECONDS);
	}

	boolean isOver() {
		return this.over.getCount() == 0;
	}

	/** Begin no fault any more, and end those that last. */
	void end() {
		this.over.countDown();
	}

	/**
	 * Let the workers finish, with all faults healed.
	 * @return how many threads of the library they have left
	 */
	int finishWorkers() throws Exception {
		for (WorkerProcess worker : this.workers) {
			worker.beginFinish();
		}
		int threads = 0;
		for (WorkerProcess worker : this.workers) {
			threads += worker.awaitFinish();
			worker.kill();
		}
		this.unasked.close();
		try (Recorder past = Recorder.open(this.directory, "unasked")) {
			past.append(this.unasked.faults());
		}
		return threads;
	}

	/**
	 * Take a lock in the process of the run, past the proxies, by a lease that outlasts
	 * the run and is never renewed, so that its holder does not learn of a loss.
	 */
	Holder hold(String key) {
		WorkerStore store = WorkerStore
			.connect(new Route(this.settings.topology(), ChaosDriver.LETTUCE, this.topology.entries(), Map.of()));
		DefaultLockRegistry registry = new DefaultLockRegistry(store.store());
		Attempt attempt = this.recorder.acquire(key);
		Lease lease = registry
			.acquire(LockRequest.of(key).ttl(Duration.ofHours(1)).renew(false).waitFor(Duration.ofHours(1)));
		attempt.ok(lease.fencingToken(), Recorder.validUntil(lease));
		return () -> {
			registry.close();
			store.close();
		};
	}

	/**
	 * The counts that must be the same before and after, without connections of the run.
	 */
	Quiescence.Counts counts(int threads) {
		List<? extends StoreAdmin> stores = this.topology.stores();
		return new Quiescence.Counts(stores.stream().mapToInt((store) -> store.channels().size()).sum(),
				stores.stream().mapToInt(StoreAdmin::otherClients).sum(), threads, 0);
	}

	/** The final values of the fenced registers. */
	Map<String, Long> registers() throws IOException {
		Map<String, Long> registers = new TreeMap<>();
		try (WitnessClient client = new WitnessClient(this.witness.port())) {
			for (String key : keys()) {
				registers.put(key, client.read(key));
			}
		}
		return registers;
	}

	@Override
	public void close() throws Exception {
		this.unasked.close();
		this.workers.forEach(WorkerProcess::close);
		this.links.forEach(Link::close);
		this.witness.close();
		this.recorder.close();
		this.topology.close();
	}

	/** Holds a lock until it is closed. */
	interface Holder extends AutoCloseable {

	}

	/** Something that replaces a master, until it is closed. */
	interface Replacement extends AutoCloseable {

		@Override
		void close();

	}

}
