package io.distributedlock.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.faults.FaultProxy;
import io.distributedlock.faults.OtherProcess;

/** An instance of an application in a process of its own, behind a proxy of its own. */
final class WorkerProcess extends OtherProcess {

	private static final AtomicInteger STARTED = new AtomicInteger();

	private final String proc;

	private final FaultProxy proxy;

	private WorkerProcess(String proc, FaultProxy proxy, Path directory, int witness, ChaosSettings settings)
			throws IOException {
		super(ChaosWorker.class, Integer.toString(proxy.port()), Integer.toString(witness), directory.toString(), proc,
				Long.toString(settings.seed() ^ proc.hashCode()), Integer.toString(settings.threads()),
				Integer.toString(settings.keys()));
		this.proc = proc;
		this.proxy = proxy;
	}

	/** Start a process and wait until it works. */
	static WorkerProcess start(FaultProxy proxy, Path directory, int witness, ChaosSettings settings)
			throws IOException {
		WorkerProcess worker = new WorkerProcess("worker-" + STARTED.incrementAndGet(), proxy, directory, witness,
				settings);
		worker.answer("working");
		return worker;
	}

	String proc() {
		return this.proc;
	}

	FaultProxy proxy() {
		return this.proxy;
	}

	/**
	 * Let the process end its work, and close its registry as an application does.
	 * @return how many of its threads are left of those that the library started
	 */
	int finish() throws IOException {
		nudge();
		return Integer.parseInt(answer("finished "));
	}

}
