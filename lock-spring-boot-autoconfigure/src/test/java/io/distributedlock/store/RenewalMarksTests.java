package io.distributedlock.store;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The marks of renewals as they go over the wire. */
class RenewalMarksTests {

	@Test
	void marksAreEightDigitsEachAndTheNewestComesFirst() {
		RenewalMarks marks = RenewalMarks.NONE.with(-1).with(0x1f);
		assertThat(marks.text()).isEqualTo("0000001f,ffffffff");
		assertThat(marks.newest()).isEqualTo("0000001f");
	}

	@Test
	void fourAreKnown() {
		RenewalMarks marks = RenewalMarks.NONE.with(1).with(2).with(3).with(4).with(5);
		assertThat(marks.text()).isEqualTo("00000005,00000004,00000003,00000002");
		assertThat(marks.know("00000002")).isTrue();
		assertThat(marks.know("00000001")).isFalse();
		assertThat(marks.know(null)).isTrue();
	}

	@Test
	void noneKnowsOnlyThatThereWasNone() {
		assertThat(RenewalMarks.NONE.newest()).isEmpty();
		assertThat(RenewalMarks.NONE.know(null)).isTrue();
		assertThat(RenewalMarks.NONE.know("00000001")).isFalse();
	}

}
