package io.distributedlock.chaos;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The locks of a run, by their use.
 *
 * @param count how many there are of those that are used most
 */
record ChaosKeys(int count) {

	/** The start of all keys that share a slot. */
	private static final String TAG = "{set}-";

	/** A lock that is taken often, and for a moment. */
	String busy(int number) {
		return "busy-" + number;
	}

	/** A lock that is held for long, so that faults meet a holder. */
	String held(int number) {
		return "long-" + number;
	}

	/** A lock that is held to read or to write. */
	String shared(int number) {
		return "shared-" + number % few();
	}

	/** A lock that is granted in the order of the requests. */
	String fair(int number) {
		return "fair-" + number % few();
	}

	/** A semaphore. */
	String permits(int number) {
		return "permits-" + number % few();
	}

	/** A lock of a set that shares a slot. */
	String together(int number) {
		return TAG + number % (few() + 1);
	}

	/** A lock of a set that is taken lock by lock if it is on several nodes. */
	String part(int number) {
		return "part-" + number % (few() + 1);
	}

	private int few() {
		return Math.max(2, this.count / 4);
	}

	static boolean isTagged(String key) {
		return key.startsWith(TAG);
	}

	static boolean isSemaphore(String key) {
		return key.startsWith("permits-");
	}

	/** Return whether those who wait for the lock are promised an order. */
	static boolean isInLine(String key) {
		return key.startsWith("shared-") || key.startsWith("fair-");
	}

	List<String> all() {
		return IntStream.range(0, this.count)
			.boxed()
			.flatMap((number) -> Stream.of(busy(number), held(number), shared(number), fair(number), permits(number),
					together(number), part(number)))
			.distinct()
			.toList();
	}

}
