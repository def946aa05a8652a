package io.distributedlock.redlock;

import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;

import io.distributedlock.store.WakeUpListener;

/**
 * Makes one wake-up of those that the nodes send for one release: when so many have
 * spoken that enough of them are free, or when the others had the time to. Whether a
 * message that comes after that is late or of the next release is unknown, so it is never
 * dropped: all those of a short time make another wake-up. Thread-safe.
 */
final class QuorumWakeUps {

	/** How long the first one waits for the others. */
	private static final Duration GATHERING = Duration.ofMillis(10);

	private final int majority;

	private final WakeUpListener listener;

	private final QuorumTimer timer;

	/** A random number from zero to below its argument. */
	private final LongUnaryOperator random;

	private final Map<String, Release> releases = new HashMap<>();

	/**
	 * Create a filter.
	 * @param majority how many nodes are enough
	 */
	QuorumWakeUps(int majority, WakeUpListener listener, QuorumTimer timer, LongUnaryOperator random) {
		this.majority = majority;
		this.listener = listener;
		this.timer = timer;
		this.random = random;
	}

	/** The listener that a node gets. */
	WakeUpListener of(int index) {
		return new WakeUpListener() {
			@Override
			public void wakeUp(String encodedKey) {
				if (hear(index, encodedKey)) {
					QuorumWakeUps.this.listener.wakeUp(encodedKey);
				}
			}

			/** Each node says so, and it costs a renewal. */
			@Override
			public void revoked(String encodedKey, String request) {
				QuorumWakeUps.this.listener.revoked(encodedKey, request);
			}

			@Override
			public void wakeUpAll() {
				QuorumWakeUps.this.listener.wakeUpAll();
			}
		};
	}

	/** A node has spoken; whether to send a wake-up at once. */
	private synchronized boolean hear(int index, String encodedKey) {
		Release release = this.releases.get(encodedKey);
		if (release == null || release.heard.get(index)) {
			// A node that has spoken before speaks of another release.
			Release begun = new Release();
			this.releases.put(encodedKey, begun);
			// At random, because another instance may have heard the other nodes.
			Duration delay = GATHERING.plusNanos(this.random.applyAsLong(GATHERING.toNanos()));
			this.timer.schedule(delay, () -> end(encodedKey, begun));
			release = begun;
		}
		release.heard.set(index);
		boolean wakes = !release.woken && release.heard.cardinality() >= this.majority;
		release.woken |= wakes;
		release.news = !wakes;
		return wakes;
	}

	/** Time is over: send a wake-up for what was heard since the last one. */
	private void end(String encodedKey, Release release) {
		boolean wakes;
		synchronized (this) {
			this.releases.remove(encodedKey, release);
			wakes = release.news;
		}
		if (wakes) {
			this.listener.wakeUp(encodedKey);
		}
	}

	/** For tests: of how many keys something was heard lately. */
	synchronized int size() {
		return this.releases.size();
	}

	/** What nodes have said lately of a key: that it is free there. */
	private static final class Release {

		private final BitSet heard = new BitSet();

		/** Enough have spoken, and a wake-up was sent. */
		private boolean woken;

		/** Others have spoken after that. */
		private boolean news;

	}

}
