package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link SlotTags}.
 */
class SlotTagsTests {

	@Test
	void everySlotHasTheLeastNumberThatLiesInIt() {
		Set<Integer> seen = new HashSet<>();
		for (int number = 0; seen.size() < ClusterSlotHashUtil.SLOT_COUNT; number++) {
			byte[] text = Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
			int slot = ClusterSlotHashUtil.calculateSlot(text);
			if (seen.add(slot)) {
				assertThat(SlotTags.of(slot)).isEqualTo(text);
			}
		}
	}

	/** As every Redis Cluster computes it: other versions have to find the same. */
	@Test
	void slotsAreThoseOfRedis() {
		assertThat(SlotTags.of(12_739)).asString(StandardCharsets.US_ASCII).isEqualTo("26349");
	}

}
