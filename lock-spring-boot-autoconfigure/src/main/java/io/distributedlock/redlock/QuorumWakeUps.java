package io.distributedlock.redlock;

import java.time.Duration;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
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

	private final IntSupplier queueNode;

	private final WakeUpListener listener;

	private final QuorumTimer timer;

	/** A random number from zero to below its argument. */
	private final LongUnaryOperator random;

	private final Map<String, Gathering> gatherings = new ConcurrentHashMap<>();

	/**
	 * Create a filter.
	 * @param majority how many nodes are enough
	 * @param queueNode where the queue of fair waiters is at present
	 */
	QuorumWakeUps(int majority, IntSupplier queueNode, WakeUpListener listener, QuorumTimer timer,
			LongUnaryOperator random) {
		this.majority = majority;
		this.queueNode = queueNode;
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
				spoke(index, encodedKey, request);
			}

			@Override
			public void wakeUpAll() {
				QuorumWakeUps.this.listener.wakeUpAll();
			}
		};
	}

	/**
	 * The lines of the others may be in another order, so the node with the queue counts.
	 * It says nothing of a lock that its holder never had there; then a majority does.
	 */
	private void spoke(int index, String encodedKey, String request) {
		boolean queue = this.queueNode.getAsInt() == index;
		// A line feed is never part of an encoding.
		String line = encodedKey + '\n' + request;
		Gathering begun = new Gathering();
		Gathering current = gathering(line, index, begun);
		current.hear(index);
		if (current == begun) {
			this.timer.schedule(GATHERING, () -> {
				this.gatherings.remove(line, begun);
				if (begun.count() >= this.majority && begun.wakes()) {
					this.listener.wakeUp(encodedKey, request);
				}
			});
		}
		if (queue) {
			current.wakes();
			this.listener.wakeUp(encodedKey, request);
		}
	}

	private Gathering gathering(String name, int index, Gathering begun) {
		return this.gatherings.compute(name,
				(same, gathering) -> (gathering == null || gathering.hasHeard(index)) ? begun : gathering);
	}

	private void spoke(int index, String encodedKey) {
		Gathering begun = new Gathering();
		Gathering current = gathering(encodedKey, index, begun);
		boolean enough = current.hear(index) >= this.majority;
		if (current == begun) {
			begin(encodedKey, begun);
		}
		if (enough) {
			wake(encodedKey, current);
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

	/** For tests: how many keys were spoken of lately. */
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

		/** How many have spoken now. */
		synchronized int hear(int index) {
			this.heard.set(index);
			return this.heard.cardinality();
		}

		synchronized int count() {
			return this.heard.cardinality();
		}

		/** Once. */
		synchronized boolean wakes() {
			boolean first = !this.woken;
			this.woken = true;
			return first;
		}

	}

}
