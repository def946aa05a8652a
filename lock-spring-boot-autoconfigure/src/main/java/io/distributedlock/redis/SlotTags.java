package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * A short text for every slot of a cluster that lies in it: the least number that does.
 * Waiters and those who wake them have to agree on it, whatever version they are.
 */
final class SlotTags {

	private static final int[] TAGS = compute();

	private SlotTags() {
	}

	private static int[] compute() {
		int[] tags = new int[ClusterSlotHashUtil.SLOT_COUNT];
		boolean[] found = new boolean[tags.length];
		for (int number = 0, missing = tags.length; missing > 0; number++) {
			int slot = ClusterSlotHashUtil.calculateSlot(text(number));
			if (!found[slot]) {
				found[slot] = true;
				tags[slot] = number;
				missing--;
			}
		}
		return tags;
	}

	/** Compute all now: the first lock may be taken by a thread that must not wait. */
	static void computeAll() {
		// That is what the initialization of this class does.
	}

	/** What stands in the braces of a channel in the slot. */
	static byte[] of(int slot) {
		return text(TAGS[slot]);
	}

	private static byte[] text(int number) {
		return Integer.toString(number).getBytes(StandardCharsets.ISO_8859_1);
	}

}
