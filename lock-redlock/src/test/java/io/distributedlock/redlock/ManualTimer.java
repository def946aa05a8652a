package io.distributedlock.redlock;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A time that passes when the test says so.
 */
final class ManualTimer extends QuorumTimer {

	private final AtomicLong sequence = new AtomicLong();

	private final PriorityQueue<Task> tasks = new PriorityQueue<>(
			Comparator.comparingLong(Task::due).thenComparingLong(Task::number));

	private long now = 1_000_000_000_000L;

	@Override
	synchronized long nanos() {
		return this.now;
	}

	@Override
	synchronized Runnable schedule(Duration delay, Runnable task) {
		Task scheduled = new Task(this.now + delay.toNanos(), this.sequence.incrementAndGet(), task);
		this.tasks.add(scheduled);
		return () -> withdraw(scheduled);
	}

	private synchronized void withdraw(Task task) {
		this.tasks.remove(task);
	}

	/** Let time pass, and run each task that comes due meanwhile at its time. */
	void pass(Duration time) {
		long end = nanos() + time.toNanos();
		for (Task next = next(end); next != null; next = next(end)) {
			next.action().run();
		}
		synchronized (this) {
			this.now = end;
		}
	}

	private synchronized Task next(long end) {
		Task next = this.tasks.peek();
		if (next == null || next.due() > end) {
			return null;
		}
		this.now = Math.max(this.now, next.due());
		return this.tasks.poll();
	}

	synchronized int pending() {
		return this.tasks.size();
	}

	@Override
	public void close() {
	}

	private record Task(long due, long number, Runnable action) {
	}

}
