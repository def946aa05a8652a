package io.distributedlock.sample.page;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.distributedlock.sample.page.BoardView.EventView;

/** Receives events of instances, and waits for one. Thread-safe. */
final class Tap implements AutoCloseable {

	private final ReentrantLock monitor = new ReentrantLock();

	private final Condition more = this.monitor.newCondition();

	private final List<EventView> heard = new ArrayList<>();

	private final Consumer<Tap> onClose;

	Tap(Consumer<Tap> onClose) {
		this.onClose = onClose;
	}

	void add(List<EventView> events) {
		this.monitor.lock();
		try {
			this.heard.addAll(events);
			this.more.signalAll();
		}
		finally {
			this.monitor.unlock();
		}
	}

	/**
	 * Wait for an event, which may have come already.
	 * @return the event, or empty if it does not come in time
	 */
	Optional<EventView> await(Predicate<EventView> wanted, Duration longest) throws InterruptedException {
		long nanos = longest.toNanos();
		this.monitor.lock();
		try {
			while (true) {
				Optional<EventView> found = this.heard.stream().filter(wanted).findFirst();
				if (found.isPresent() || nanos <= 0) {
					return found;
				}
				nanos = this.more.awaitNanos(nanos);
			}
		}
		finally {
			this.monitor.unlock();
		}
	}

	@Override
	public void close() {
		this.onClose.accept(this);
	}

}
