package io.distributedlock.store;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The marks of renewals as they go over the wire. */
class RenewalMarksTests {

	@Test
	void marksAreEightDigitsEachAndTheNewestComesFirst() {
		RenewalMarks marks = RenewalMarks.NONE.with(-1, 0).with(0x1f, 0);
		assertThat(marks.text()).isEqualTo("0000001f,ffffffff");
		assertThat(marks.newest()).isEqualTo("0000001f");
	}

	@Test
	void fourAreKnown() {
		RenewalMarks marks = RenewalMarks.NONE.with(1, 0).with(2, 0).with(3, 0).with(4, 0).with(5, 0);
		assertThat(marks.text()).isEqualTo("00000005,00000004,00000003,00000002");
		assertThat(marks.know("00000002")).isTrue();
		assertThat(marks.know("00000001")).isFalse();
		assertThat(marks.know(null)).isTrue();
	}

	@Test
	void lastConfirmedOneStaysHoweverManyAreNotConfirmed() {
		RenewalMarks marks = RenewalMarks.NONE.with(1, 0).with(2, 0);
		for (int unconfirmed = 0; unconfirmed < 6; unconfirmed++) {
			marks = marks.with(10 + unconfirmed, unconfirmed);
		}
		assertThat(marks.text()).isEqualTo("0000000f,0000000e,0000000d,00000002");
	}

	@Test
	void fourMarksAreKeptWithoutConfirmation() {
		RenewalMarks marks = RenewalMarks.NONE.with(1, 0).with(2, 1).with(3, 2).with(4, 3);
		assertThat(marks.text()).isEqualTo("00000004,00000003,00000002,00000001");
		assertThat(marks.with(5, 4).text()).isEqualTo("00000005,00000004,00000003,00000001");
	}

	@Test
	void emptyMarksKnowOnlyTheMissingMark() {
		assertThat(RenewalMarks.NONE.newest()).isEmpty();
		assertThat(RenewalMarks.NONE.know(null)).isTrue();
		assertThat(RenewalMarks.NONE.know("00000001")).isFalse();
	}

}
