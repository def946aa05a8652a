package io.distributedlock.engine.simulation;

import java.util.PriorityQueue;

/** The clock of a simulated world, and its future events in order of time. */
final class SimulationScheduler {

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private long now;

	private long sequence;

	long now() {
		return this.now;
	}

	void at(long time, Runnable task) {
		this.events.add(new Event(Math.max(time, this.now), this.sequence++, task));
	}

	void after(long delay, Runnable task) {
		at(this.now + delay, task);
	}

	/**
	 * Let the next thing happen.
	 * @return whether there was one until then
	 */
	boolean runNext(long until) {
		Event next = this.events.peek();
		if (next == null || next.time > until) {
			return false;
		}
		this.events.remove();
		this.now = next.time;
		next.task.run();
		return true;
	}

	/** Let time pass in which nothing happens. */
	void advanceTo(long time) {
		this.now = Math.max(this.now, time);
	}

	private record Event(long time, long sequence, Runnable task) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			int byTime = Long.compare(this.time, other.time);
			return (byTime != 0) ? byTime : Long.compare(this.sequence, other.sequence);
		}

	}

}
