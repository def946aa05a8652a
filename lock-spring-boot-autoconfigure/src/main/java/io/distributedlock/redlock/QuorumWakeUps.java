package io.distributedlock.redlock;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.function.LongUnaryOperator;

import io.distributedlock.store.WakeUpListener;

/**
 * Makes one wake-up of those that the nodes send for one release: when so many have
 * spoken that enough of them are free, or when the others had the time to. Whether a
 * message that comes after that is late or of the next release is unknown, so it is never
 * dropped: all those of a short time make another wake-up.
 */
final class QuorumWakeUps {

	/** How long the first one waits for the others. */
	private static final Duration GATHERING = Duration.ofMillis(10);

	/** How long what nodes say of one request after that belongs together. */
	private static final Duration HEARING = Duration.ofMillis(250);

	private final int majority;

	private final IntSupplier queueNode;

	private final WakeUpListener listener;

	private final QuorumTimer timer;

	/** A random number from zero to below its argument. */
	private final LongUnaryOperator random;

	private final Map<String, KeyWakeUps> keys = new ConcurrentHashMap<>();

	/** By key and request: a line feed is never part of an encoding. */
	private final Map<String, RequestWakeUps> requests = new ConcurrentHashMap<>();

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

	private void spoke(int index, String encodedKey) {
		KeyWakeUps begun = new KeyWakeUps(this.majority);
		KeyWakeUps current = this.keys.compute(encodedKey,
				(same, before) -> (before == null || before.hasHeard(index)) ? begun : before);
		boolean wakes = current.hear(index);
		if (current == begun) {
			// At random, because another instance may have heard the other nodes.
			Duration delay = GATHERING.plusNanos(this.random.applyAsLong(GATHERING.toNanos()));
			this.timer.schedule(delay, () -> end(encodedKey, begun));
		}
		if (wakes) {
			this.listener.wakeUp(encodedKey);
		}
	}

	private void end(String encodedKey, KeyWakeUps wakeUps) {
		this.keys.remove(encodedKey, wakeUps);
		if (wakeUps.end()) {
			this.listener.wakeUp(encodedKey);
		}
	}

	private void spoke(int index, String encodedKey, String request) {
		String line = encodedKey + '\n' + request;
		RequestWakeUps begun = new RequestWakeUps(this.majority);
		RequestWakeUps current = this.requests.compute(line,
				(same, before) -> (before == null || before.hasHeard(index)) ? begun : before);
		boolean wakes = current.hear(index, this.queueNode.getAsInt() == index);
		if (current == begun) {
			this.timer.schedule(GATHERING, () -> {
				if (begun.patienceEnds()) {
					this.listener.wakeUp(encodedKey, request);
				}
				this.timer.schedule(HEARING, () -> this.requests.remove(line, begun));
			});
		}
		if (wakes) {
			this.listener.wakeUp(encodedKey, request);
		}
	}

	/** For tests: of how many keys and requests something was heard lately. */
	int size() {
		return this.keys.size() + this.requests.size();
	}

}
