package io.distributedlock.reactive;

import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Counts the threads inside a body: the thread that subscribes to it, and threads that
 * subscribe to bodies inside it, under locks of their own. Until they return, they may
 * run code of the body, even if the sequence has ended or was cancelled. Fields are
 * guarded by this object.
 */
final class BodyEntry {

	private final Sinks.Empty<Void> left = Sinks.empty();

	private int inside;

	private boolean entered;

	private boolean refused;

	/** Enter, unless the body refuses threads. */
	synchronized boolean enter() {
		if (this.refused) {
			return false;
		}
		this.entered = true;
		this.inside++;
		return true;
	}

	void leave() {
		if (leaveAsLast()) {
			this.left.tryEmitEmpty();
		}
	}

	private synchronized boolean leaveAsLast() {
		this.inside--;
		return this.inside == 0 && this.refused;
	}

	/** Refuse all threads that are not inside yet. */
	synchronized void refuse() {
		this.refused = true;
	}

	synchronized boolean wasEntered() {
		return this.entered;
	}

	synchronized boolean isOccupied() {
		return this.inside > 0;
	}

	/** Completes when the last thread has returned after all others were refused. */
	Mono<Void> left() {
		return this.left.asMono();
	}

}
