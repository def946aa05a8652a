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
				spoke(index, encodedKey, false, () -> QuorumWakeUps.this.listener.wakeUp(encodedKey));
			}

			@Override
			public void wakeUp(String encodedKey, String request) {
				spoke(index, encodedKey + '\n' + request, true,
						() -> QuorumWakeUps.this.listener.wakeUp(encodedKey, request));
			}

			@Override
			public void wakeUpAll() {
				QuorumWakeUps.this.listener.wakeUpAll();
			}
		};
	}

	private void spoke(int index, String subject, boolean inOrder, Runnable wakeUp) {
		Gathering begun = new Gathering(inOrder, wakeUp);
		Gathering current = this.gatherings.compute(subject,
				(same, gathering) -> (gathering == null || gathering.hasHeard(index)) ? begun : gathering);
		boolean enough = current.hear(index, this.majority);
		if (current == begun) {
			begin(subject, begun);
		}
		if (enough) {
			wakeUp.run();
		}
	}

	private void begin(String subject, Gathering gathering) {
		// At random, because another instance may have heard the other nodes.
		Duration delay = GATHERING.plusNanos(this.random.applyAsLong(GATHERING.toNanos()));
		this.timer.schedule(delay, () -> {
			gathering.wake();
			this.timer.schedule(ECHO, () -> this.gatherings.remove(subject, gathering));
		});
	}

	/** For tests: what was spoken of lately. */
	int size() {
		return this.gatherings.size();
	}

	/** The nodes that have spoken of one release. */
	private static final class Gathering {

		private final BitSet heard = new BitSet();

		/** Whether the first node has the last word, since it has the queue. */
		private final boolean inOrder;

		private final Runnable wakeUp;

		private boolean woken;

		Gathering(boolean inOrder, Runnable wakeUp) {
			this.inOrder = inOrder;
			this.wakeUp = wakeUp;
		}

		synchronized boolean hasHeard(int index) {
			return this.heard.get(index);
		}

		/** Whether it is enough now. */
		synchronized boolean hear(int index, int majority) {
			boolean again = this.woken && this.inOrder && index < this.heard.nextSetBit(0);
			this.heard.set(index);
			if (!again && (this.woken || this.heard.cardinality() < majority)) {
				return false;
			}
			this.woken = true;
			return true;
		}

		/** Nobody else has spoken for too long. */
		void wake() {
			synchronized (this) {
				if (this.woken) {
					return;
				}
				this.woken = true;
			}
			this.wakeUp.run();
		}

	}

}
