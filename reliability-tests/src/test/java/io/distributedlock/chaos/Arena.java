package io.distributedlock.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.faults.FaultProxy;
import io.distributedlock.history.Event;
import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;
import io.distributedlock.history.Quiescence;
import io.distributedlock.history.Recorder;
import io.distributedlock.history.Witness;
import io.distributedlock.history.WitnessClient;

/** What a run consists of: the server, the workers, what is between them. */
final class Arena implements AutoCloseable {

	/** The process that faults are recorded by. */
	private static final String PROC = "nemesis";

	private final ChaosSettings settings;

	private final Path directory;

	private final RedisServer server;

	private final ServerAdmin admin;

	private final Recorder recorder;

	private final Witness witness;

	private final List<WorkerProcess> workers = new ArrayList<>();

	private final List<FaultProxy> proxies = new ArrayList<>();

	private final CountDownLatch over = new CountDownLatch(1);

	Arena(ChaosSettings settings, Path directory) {
		this.settings = settings;
		this.directory = directory;
		this.server = RedisServers.start("--appendonly", "yes", "--appendfsync", "everysec");
		this.admin = new ServerAdmin(this.server);
		this.recorder = Recorder.open(directory, PROC);
		this.witness = Witness.start(directory);
	}

	void startWorkers() throws IOException {
		for (int i = 0; i < this.settings.processes(); i++) {
			FaultProxy proxy = new FaultProxy(this.server.host(), this.server.port());
			this.proxies.add(proxy);
			this.workers.add(startWorker(proxy));
		}
	}

	private WorkerProcess startWorker(FaultProxy proxy) throws IOException {
		return WorkerProcess.start(proxy, this.directory, this.witness.port(), this.settings);
	}

	RedisServer server() {
		return this.server;
	}

	ServerAdmin admin() {
		return this.admin;
	}

	/** A worker, as the dice falls. */
	WorkerProcess worker(Random random) {
		return this.workers.get(random.nextInt(this.workers.size()));
	}

	/** Start another process in the place of one that has ended. */
	void replace(WorkerProcess ended) throws IOException {
		ended.close();
		this.workers.set(this.workers.indexOf(ended), startWorker(ended.proxy()));
	}

	String key(Random random) {
		return "key-" + random.nextInt(this.settings.keys());
	}

	/** A fault of the server, which hits everybody. */
	Fault fault(NemesisKind kind, String description) {
		return this.recorder.fault(kind, Event.ALL, Event.ALL, description);
	}

	Fault fault(NemesisKind kind, String key, String description) {
		return this.recorder.fault(kind, key, Event.ALL, description);
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
	int finishWorkers() throws IOException {
		int threads = 0;
		for (WorkerProcess worker : this.workers) {
			threads += worker.finish();
			worker.kill();
		}
		return threads;
	}

	/**
	 * What must be the same before and after; the admin's own connection is not counted.
	 */
	Quiescence.Counts counts(int threads) {
		return new Quiescence.Counts(this.admin.channels().size(), this.admin.otherClients(), threads, 0);
	}

	/** The final values of the fenced registers. */
	Map<String, Long> registers() throws IOException {
		Map<String, Long> registers = new TreeMap<>();
		try (WitnessClient client = new WitnessClient(this.witness.port())) {
			for (int i = 0; i < this.settings.keys(); i++) {
				registers.put("key-" + i, client.read("key-" + i));
			}
		}
		return registers;
	}

	@Override
	public void close() throws IOException {
		this.workers.forEach(WorkerProcess::close);
		this.proxies.forEach(FaultProxy::close);
		this.witness.close();
		this.recorder.close();
		this.admin.close();
		this.server.close();
	}

}
