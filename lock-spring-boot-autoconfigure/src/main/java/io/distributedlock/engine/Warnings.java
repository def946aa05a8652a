package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.engine.timer.HeapTimer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the log says of one kind of trouble with locks. The first lock has a line of its
 * own at once. Those that follow within a second share one, with their number, some of
 * their names and the reasons, while a single one has its own: an outage that loses a
 * hundred thousand locks must not fill the log. Its timer is the end of that second.
 * Thread-safe.
 */
final class Warnings extends HeapTimer {

	static final Duration WINDOW = Duration.ofSeconds(1);

	private static final Log logger = LogFactory.getLog(Warnings.class);

	private static final int MOST_EXAMPLES = 3;

	private final Instance instance;

	private final String what;

	private final String consequence;

	/** What waits for its line, by reason; guarded by this. */
	private final Map<String, Group> groups = new LinkedHashMap<>();

	/** What is said if no other follows; guarded by this. */
	private Supplier<String> second = () -> "";

	/** From here on the next one has a line of its own; guarded by this. */
	private long windowEnd = Long.MIN_VALUE;

	/** Whether no timer fires any more; guarded by this. */
	private boolean stopped;

	/**
	 * Create it.
	 * @param instance the instance that has the locks
	 * @param what what has happened to several locks, after their number
	 * @param consequence what that means for them, a sentence without its full stop
	 */
	Warnings(Instance instance, String what, String consequence) {
		this.instance = instance;
		this.what = what;
		this.consequence = consequence;
	}

	/**
	 * Something has happened to a lock.
	 * @param grant the lock
	 * @param reason why, the same text for all that have the same reason
	 * @param cause what the store said, if it is known
	 * @param line what to say if this is the first
	 */
	void warn(Grant grant, String reason, @Nullable Throwable cause, Supplier<String> line) {
		if (isFirst(grant, reason, cause, line)) {
			logger.warn(line.get());
		}
	}

	private synchronized boolean isFirst(Grant grant, String reason, @Nullable Throwable cause, Supplier<String> line) {
		long now = this.instance.now();
		if (this.stopped || (this.groups.isEmpty() && now >= this.windowEnd)) {
			this.windowEnd = now + WINDOW.toNanos();
			return true;
		}
		if (this.groups.isEmpty()) {
			this.second = line;
			this.instance.loop.schedule(this, this.windowEnd);
		}
		this.groups.computeIfAbsent(reason, (missing) -> new Group()).add(grant, cause);
		return false;
	}

	@Override
	public void fire(long now) {
		flush();
	}

	@Override
	public void abort() {
		flush();
	}

	/** Say what has not been said, and keep nothing back from now on. */
	void stop() {
		synchronized (this) {
			this.stopped = true;
		}
		flush();
	}

	private void flush() {
		String line;
		synchronized (this) {
			if (this.groups.isEmpty()) {
				return;
			}
			line = summary();
			this.groups.clear();
			this.windowEnd = this.instance.now() + WINDOW.toNanos();
		}
		logger.warn(line);
	}

	private String summary() {
		int count = this.groups.values().stream().mapToInt((group) -> group.count).sum();
		if (count == 1) {
			return this.second.get();
		}
		String reasons = this.groups.entrySet()
			.stream()
			.map((group) -> group.getValue().describe(group.getKey()))
			.collect(Collectors.joining("; "));
		return "%d more %s: %s. %s".formatted(count, this.what, reasons, this.consequence);
	}

	/** Those with the same reason. */
	private static final class Group {

		private final List<String> examples = new ArrayList<>(MOST_EXAMPLES);

		private int count;

		private @Nullable String cause;

		void add(Grant grant, @Nullable Throwable cause) {
			this.count++;
			if (this.examples.size() < MOST_EXAMPLES) {
				this.examples.add("'%s' (token %d)".formatted(LockKeys.describe(grant.keys()), grant.token()));
			}
			this.cause = (cause != null) ? cause.getMessage() : this.cause;
		}

		String describe(String reason) {
			return "%s%s: %s%s".formatted((this.count == 1) ? "" : this.count + " such as ",
					String.join(", ", this.examples), reason,
					(this.cause != null) ? " (last failure: " + this.cause + ')' : "");
		}

	}

}
