package io.distributedlock.jdbc.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

import io.distributedlock.store.ReleaseCommand;

/**
 * The last releases that the server has confirmed. A crash may forget them, as it forgets
 * all that was not on the disk, and the locks would stay held until the leases end.
 * Thread-safe.
 */
public final class RecentReleases {

	/** Longer than the server keeps changes from the disk by default, which is 0.6 s. */
	private static final long KEPT_NANOS = Duration.ofSeconds(1).toNanos();

	/** Guarded by this. */
	private final Queue<Confirmed> last = new ArrayDeque<>();

	/**
	 * Add a release. Those go that are much older: the log of the server has its parts in
	 * order.
	 * @param command the release
	 */
	public synchronized void add(ReleaseCommand command) {
		long now = System.nanoTime();
		while (!this.last.isEmpty() && now - this.last.element().at > KEPT_NANOS) {
			this.last.remove();
		}
		this.last.add(new Confirmed(command, now));
	}

	/**
	 * Remove all.
	 * @return the releases, in their order
	 */
	public synchronized List<ReleaseCommand> take() {
		List<ReleaseCommand> all = this.last.stream().map(Confirmed::command).toList();
		this.last.clear();
		return all;
	}

	private record Confirmed(ReleaseCommand command, long at) {
	}

}
