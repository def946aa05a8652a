package io.distributedlock.reactive;

import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The threads in a body: the one that subscribes to it, and those that subscribe to
 * bodies inside it, under locks of their own. Code of the body may run in them until they
 * come back, whoever has cancelled or ended the sequence meanwhile, itself included.
 */
final class BodyEntry {

	private final Sinks.Empty<Void> left = Sinks.empty();

	private int inside;

	private boolean entered;

	private boolean refused;

	/**
	 * Go in.
	 * @return false if that was refused before
	 */
	synchronized boolean enter() {
		if (this.refused) {
			return false;
		}
		this.entered = true;
		this.inside++;
		return true;
	}

	/** Come back. */
	void leave() {
		if (leaveAsLast()) {
			this.left.tryEmitEmpty();
		}
	}

	private synchronized boolean leaveAsLast() {
		this.inside--;
		return this.inside == 0 && this.refused;
	}

	/** Let nobody in who is not in yet. */
	synchronized void refuse() {
		this.refused = true;
	}

	synchronized boolean wasEntered() {
		return this.entered;
	}

	synchronized boolean isOccupied() {
		return this.inside > 0;
	}

	/** Completes when the last thread has come back after all others were refused. */
	Mono<Void> left() {
		return this.left.asMono();
	}

}
