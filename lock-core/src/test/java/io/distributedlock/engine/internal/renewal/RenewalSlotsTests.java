package io.distributedlock.engine.internal.renewal;

import java.time.Duration;

import io.distributedlock.engine.internal.instance.LockTerms;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The slots that renewals get. */
class RenewalSlotsTests {

	private static final long SLOT = LockTerms.SLOT_NANOS;

	private final RenewalSlots slots = new RenewalSlots(2);

	@Test
	void slotWhenThereIsRoomIsTheLastOne() {
		assertThat(this.slots.take(0, 10 * SLOT + 5)).isEqualTo(10 * SLOT);
		assertThat(this.slots.take(0, 10 * SLOT)).isEqualTo(10 * SLOT);
		assertThat(this.slots.take(0, 10 * SLOT)).isEqualTo(9 * SLOT);
	}

	@Test
	void slotIsTheOneWhoseBatchHasBegun() {
		assertThat(this.slots.take(0, 4 * SLOT)).isEqualTo(4 * SLOT);
		assertThat(this.slots.take(0, 10 * SLOT)).isEqualTo(4 * SLOT);
		assertThat(this.slots.take(0, 10 * SLOT)).isEqualTo(10 * SLOT);
		assertThat(this.slots.take(0, 20 * SLOT)).isEqualTo(10 * SLOT);
		assertThat(this.slots.take(10 * SLOT, 20 * SLOT)).isEqualTo(20 * SLOT);
	}

	@Test
	void slotWhenAllHaveABatchIsTheLastOneAgain() {
		for (int i = 0; i < 6; i++) {
			assertThat(this.slots.take(0, 3 * SLOT)).isEqualTo((3 - i / 2) * SLOT);
		}
		assertThat(this.slots.take(0, 3 * SLOT)).isEqualTo(3 * SLOT);
	}

	@Test
	void slotIsNeitherBeforeNowNorAfterTheLatestTime() {
		for (long now = -50 * SLOT; now < 50 * SLOT; now += SLOT / 7) {
			for (int i = 0; i < 9; i++) {
				long latest = now + 3 * SLOT;
				assertThat(this.slots.take(now, latest)).isBetween(now, latest);
			}
		}
	}

	@Test
	void slotWhenTheLatestTimeIsNearIsNow() {
		assertThat(this.slots.take(SLOT + 5, SLOT + 9)).isEqualTo(SLOT + 5);
	}

	@Test
	void slotsThatHavePassedAreForgotten() {
		this.slots.take(0, SLOT);
		this.slots.take(0, SLOT);
		long later = (2 * LockTerms.MOST_SLOTS + 1) * SLOT;
		assertThat(this.slots.take(later - SLOT, later)).isEqualTo(later);
		assertThat(this.slots.take(later - SLOT, later)).isEqualTo(later);
	}

	@Test
	void windowBeginsAfterASixthOfTheTtlOrALittleBeforeItIsDue() {
		assertThat(LockTerms.renewalWindow(Duration.ofSeconds(9).toNanos())).isEqualTo(14 * SLOT);
		assertThat(LockTerms.renewalWindow(Duration.ofSeconds(30).toNanos())).isEqualTo(32 * SLOT);
		assertThat(LockTerms.renewalWindow(Duration.ofSeconds(2).toNanos())).isZero();
	}

}
