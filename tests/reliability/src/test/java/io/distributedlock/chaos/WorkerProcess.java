package io.distributedlock.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.faults.OtherProcess;

/** An instance of an application in a process of its own, behind proxies of its own. */
final class WorkerProcess extends OtherProcess {

	/** Asks for the image of the process. */
	static final String IMAGE = "image ";

	/** Asks for a word at the next hand-off. */
	static final String HAND_OFF = "hand-off";

	/** Says that the process has become another one. */
	static final String RESTORED = "restored";

	private final String proc;

	private final Link link;

	private WorkerProcess(String proc, Link link, List<String> jvmOptions, String... arguments) throws IOException {
		super(jvmOptions, ChaosWorker.class, arguments);
		this.proc = proc;
		this.link = link;
	}

	/** Start a process. */
	static WorkerProcess start(String proc, Link link, Topology topology, Path directory, int witness,
			ChaosSettings settings) throws IOException {
		List<String> jvmOptions = new ArrayList<>(topology.jvmOptions());
		jvmOptions.addAll(link.clock().jvmOptions());
		return new WorkerProcess(proc, link, jvmOptions, link.route(settings.topology(), topology.entries()).toString(),
				Integer.toString(witness), directory.toString(), proc, Long.toString(settings.seed() ^ proc.hashCode()),
				Integer.toString(settings.threads()), Integer.toString(settings.keys()));
	}

	/** Wait until the process is connected, with its threads at the start. */
	void awaitReady() throws IOException {
		answer("ready");
	}

	void beginWork() throws IOException {
		nudge();
	}

	/** Return an image of the process, from which others can be restored. */
	String image() throws IOException {
		send(IMAGE);
		return answer(IMAGE);
	}

	/** Let the process, which has not begun to work, be one that was restored. */
	void restore(String image) throws IOException {
		send(image);
		answer(RESTORED);
	}

	/** Wait until a release of another process gives a lock to this one. */
	void awaitHandOff() throws IOException {
		send(HAND_OFF);
		answer(HAND_OFF);
	}

	String proc() {
		return this.proc;
	}

	Link link() {
		return this.link;
	}

	/** Let the process end its work, and close its registry as an application does. */
	void beginFinish() throws IOException {
		nudge();
	}

	/**
	 * Wait until it has.
	 * @return how many of its threads are left of those that the library started
	 */
	int awaitFinish() throws IOException {
		return Integer.parseInt(answer("finished "));
	}

}
