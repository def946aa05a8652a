package io.distributedlock.redlock;

import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;

import io.distributedlock.store.WakeUpListener;

/**
 * Makes one wake-up of the messages that the nodes send for one release. It is sent when
 * a majority has reported, or when the others had the time to. A later message may be
 * late or of the next release, so it is never dropped: all later ones of the gathering
 * time make another wake-up. Thread-safe.
 */
final class QuorumWakeUps {

	/** Shortest time to wait for messages after the first one; at most twice as long. */
	private static final Duration GATHERING = Duration.ofMillis(10);

	private final int majority;

	private final WakeUpListener listener;

	private final QuorumTimer timer;

	/** A random number from zero to below its argument. */
	private final LongUnaryOperator random;

	private final Map<String, Release> releases = new HashMap<>();

	/**
	 * Create a filter.
	 * @param majority number of nodes that are enough
	 */
	QuorumWakeUps(int majority, WakeUpListener listener, QuorumTimer timer, LongUnaryOperator random) {
		this.majority = majority;
		this.listener = listener;
		this.timer = timer;
		this.random = random;
	}

	/** Return the listener for a node. */
	WakeUpListener of(int index) {
		return new WakeUpListener() {
			@Override
			public void wakeUp(String encodedKey) {
				if (hear(index, encodedKey)) {
					QuorumWakeUps.this.listener.wakeUp(encodedKey);
				}
			}

			/** Passed on for each node, because it costs only a renewal. */
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

	/** Note the message of a node; return whether to send a wake-up at once. */
	private synchronized boolean hear(int index, String encodedKey) {
		Release release = this.releases.get(encodedKey);
		if (release == null || release.heard.get(index)) {
			// A second message of a node is about another release.
			Release begun = new Release();
			this.releases.put(encodedKey, begun);
			// Random, because another instance may have got the messages of the other
			// nodes.
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

	/** End the gathering, and send a wake-up for messages since the last one. */
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

	/** For tests: the number of keys whose messages are gathered. */
	synchronized int size() {
		return this.releases.size();
	}

	/** The nodes that have lately reported a key as free. */
	private static final class Release {

		private final BitSet heard = new BitSet();

		/** Set when enough nodes have reported and a wake-up was sent. */
		private boolean woken;

		/** Set if the last message has not been part of a wake-up yet. */
		private boolean news;

	}

}
