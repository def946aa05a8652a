package io.distributedlock.reactive;

import java.util.concurrent.atomic.AtomicReference;

import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The thread that subscribes to a body. Code of the body may run in it until it comes
 * back, whoever has cancelled or ended the sequence meanwhile, itself included.
 */
final class BodyEntry {

	private enum State {

		BEFORE, REFUSED, INSIDE, AFTER

	}

	private final AtomicReference<State> state = new AtomicReference<>(State.BEFORE);

	private final Sinks.Empty<Void> left = Sinks.empty();

	/**
	 * Go in.
	 * @return false if that was refused before
	 */
	boolean enter() {
		return this.state.compareAndSet(State.BEFORE, State.INSIDE);
	}

	/** Come back. */
	void leave() {
		this.state.set(State.AFTER);
		this.left.tryEmitEmpty();
	}

	/** Let nobody in who is not in yet. */
	void refuse() {
		this.state.compareAndSet(State.BEFORE, State.REFUSED);
	}

	boolean wasEntered() {
		State now = this.state.get();
		return now == State.INSIDE || now == State.AFTER;
	}

	boolean isOccupied() {
		return this.state.get() == State.INSIDE;
	}

	/** Completes when the thread has come back, at once if it has. */
	Mono<Void> left() {
		return this.left.asMono();
	}

}
