package io.distributedlock.engine;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A single holder at a time, the others first come first served.
 */
public class QueueSpecification {

	/** The holder first. */
	private final Deque<Integer> line = new ArrayDeque<>();

	public String enter(int thread) {
		if (this.line.contains(thread)) {
			return "is in";
		}
		this.line.add(thread);
		return isHolder(thread) ? "granted" : "waits";
	}

	public String tryOnce(int thread) {
		if (this.line.contains(thread)) {
			return "is in";
		}
		return this.line.isEmpty() ? enter(thread) : "busy";
	}

	public String giveUp(int thread) {
		if (isHolder(thread)) {
			return "granted";
		}
		return this.line.remove(thread) ? "gave up" : "is out";
	}

	public String release(int thread) {
		if (!isHolder(thread)) {
			return "not granted";
		}
		this.line.remove();
		return "released";
	}

	public void wakeUp() {
	}

	private boolean isHolder(int thread) {
		return !this.line.isEmpty() && this.line.peek() == thread;
	}

}
