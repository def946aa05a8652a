package io.distributedlock.sample.sale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.sample.sale.InstanceEvent.Kind;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Reports the events of this instance to the main process. It writes a line every
 * {@value #PERIOD_MILLIS} ms, so that spectators do not slow the sale down.
 */
@Component
@Profile("instance")
class Reporter implements LockEventListener, AutoCloseable {

	private static final int PERIOD_MILLIS = 50;

	private final ConcurrentLinkedQueue<InstanceEvent> events = new ConcurrentLinkedQueue<>();

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor((task) -> {
		Thread thread = new Thread(task, "reporter");
		thread.setDaemon(true);
		return thread;
	});

	private final Counts counts;

	Reporter(Counts counts) {
		this.counts = counts;
	}

	void start() {
		this.timer.scheduleWithFixedDelay(this::report, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
	}

	void add(Kind kind, long token, long micros, String text) {
		this.events.add(InstanceEvent.of(kind, token, micros, text));
	}

	@Override
	public void onLockEvent(LockEvent event) {
		if (event instanceof LockEvent.Acquired acquired) {
			add(Kind.ACQUIRED, acquired.fencingToken(), micros(acquired.waited()), acquired.from().name());
		}
		else if (event instanceof LockEvent.Released released) {
			add(Kind.RELEASED, released.fencingToken(), micros(released.held()), "");
		}
		else if (event instanceof LockEvent.Lost lost) {
			add(Kind.LOST, lost.fencingToken(), micros(lost.held()), lost.reason().name());
		}
	}

	private static long micros(Duration duration) {
		return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
	}

	/**
	 * Print the gathered events. Synchronized, since two reports at once would be one
	 * broken line.
	 */
	synchronized void report() {
		List<InstanceEvent> gathered = new ArrayList<>();
		for (InstanceEvent event = this.events.poll(); event != null; event = this.events.poll()) {
			gathered.add(event);
		}
		System.out
			.println(Protocol.REPORT + new Report(this.counts.shopping(), this.counts.tally(), gathered).format());
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
