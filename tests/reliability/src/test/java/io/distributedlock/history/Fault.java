package io.distributedlock.history;

import io.distributedlock.history.Event.Phase;

/** A recorded fault, which ends when it is closed. */
public final class Fault implements AutoCloseable {

	private final Recorder recorder;

	private final Event begun;

	Fault(Recorder recorder, Event begun) {
		this.recorder = recorder;
		this.begun = begun;
		recorder.append(begun);
	}

	/** The fault is over. */
	@Override
	public void close() {
		this.recorder.append(this.begun.as(this.begun.op(), Phase.OK).by("", this.begun.thread()));
	}

}
