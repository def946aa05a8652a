package io.distributedlock.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.Event;
import io.distributedlock.history.NemesisKind;
import io.distributedlock.history.PastFault;
import io.distributedlock.history.Recorder;
import io.distributedlock.history.Witness;
import io.distributedlock.history.WitnessClient;

/**
 * Failures in a run although no fault has struck: servers that do not answer or are
 * replaced, and the process of the run itself, through whose proxies everything goes.
 */
final class Unasked implements AutoCloseable {

	private static final String KEY = "pulse";

	private final WitnessClient client;

	/** Seen by the pulse, whose thread has ended when they are asked for. */
	private final List<PastFault> standstills = new ArrayList<>();

	private final Pulse pulse;

	private final ServerWatch.Judge judge;

	private final ServerWatch watch;

	private boolean closed;

	/** Begin to look. */
	Unasked(Recorder recorder, Witness witness, List<RedisServer> servers, ServerWatch.Judge judge) throws IOException {
		this.client = new WitnessClient(witness.port());
		this.pulse = new Pulse(() -> {
			this.client.read(KEY);
			return recorder.time();
		}, (begin, end) -> this.standstills
			.add(new PastFault(NemesisKind.OUTAGE, Event.ALL, Event.ALL, "run-stood-still", begin, end))).start();
		this.judge = judge;
		this.watch = new ServerWatch(servers, judge);
	}

	/** Return the faults that were seen, when this is closed. */
	List<PastFault> faults() {
		return Stream.concat(this.standstills.stream(), this.judge.faults().stream()).toList();
	}

	/** Look no more, and leave no connection. */
	@Override
	public void close() throws IOException, InterruptedException {
		if (!this.closed) {
			this.closed = true;
			this.pulse.close();
			this.watch.close();
			this.client.close();
		}
	}

}
