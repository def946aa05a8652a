package io.distributedlock.redlock;

import java.time.Duration;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongUnaryOperator;

import io.distributedlock.store.WakeUpListener;

/**
 * Makes one wake-up of those that the nodes send for one release: when so many have
 * spoken that enough of them are free, or when the others had the time to. A node that
 * speaks again speaks of another release.
 */
final class QuorumWakeUps {

	/** How long the first one waits for the others. */
	private static final Duration GATHERING = Duration.ofMillis(10);

	/** How long those that come after the wake-up count as part of it. */
	private static final Duration ECHO = Duration.ofMillis(250);

	private final int majority;

	private final WakeUpListener listener;

	private final QuorumTimer timer;

	/** A random number from zero to below its argument. */
	private final LongUnaryOperator random;

	private final Map<String, Gathering> gatherings = new ConcurrentHashMap<>();

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
				spoke(index, encodedKey);
			}

			@Override
			public void wakeUp(String encodedKey, String request) {
				// Only one node has the queue that this is about.
				QuorumWakeUps.this.listener.wakeUp(encodedKey, request);
			}

			@Override
			public void wakeUpAll() {
				QuorumWakeUps.this.listener.wakeUpAll();
			}
		};
	}

	private void spoke(int index, String encodedKey) {
		boolean first = false;
		boolean enough;
		Gathering gathering;
		do {
			gathering = this.gatherings.get(encodedKey);
			if (gathering == null || gathering.hasHeard(index)) {
				Gathering begun = new Gathering();
				first = (gathering == null) ? this.gatherings.putIfAbsent(encodedKey, begun) == null
						: this.gatherings.replace(encodedKey, gathering, begun);
				gathering = first ? begun : null;
			}
		}
		while (gathering == null);
		enough = gathering.hears(index, this.majority);
		if (first) {
			begin(encodedKey, gathering);
		}
		if (enough) {
			wake(encodedKey, gathering);
		}
	}

	private void begin(String encodedKey, Gathering gathering) {
		// At random, because another instance may have heard the other nodes.
		Duration delay = GATHERING.plusNanos(this.random.applyAsLong(GATHERING.toNanos()));
		this.timer.schedule(delay, () -> {
			wake(encodedKey, gathering);
			this.timer.schedule(ECHO, () -> this.gatherings.remove(encodedKey, gathering));
		});
	}

	private void wake(String encodedKey, Gathering gathering) {
		if (gathering.wakes()) {
			this.listener.wakeUp(encodedKey);
		}
	}

	/** For tests: the keys that were spoken of lately. */
	int size() {
		return this.gatherings.size();
	}

	/** The nodes that have spoken of one release. */
	private static final class Gathering {

		private final BitSet heard = new BitSet();

		private boolean woken;

		synchronized boolean hasHeard(int index) {
			return this.heard.get(index);
		}

		/** Whether it is enough now. */
		synchronized boolean hears(int index, int majority) {
			this.heard.set(index);
			return this.heard.cardinality() >= majority;
		}

		/** Once. */
		synchronized boolean wakes() {
			boolean first = !this.woken;
			this.woken = true;
			return first;
		}

	}

}
