package io.distributedlock.text;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** {@link DisplayText}. */
class DisplayTextTests {

	@ParameterizedTest
	@CsvSource({ "'', 42, 42", "orders, 42, orders:42", "'', a b, a b", "'', \u00e9\uD83D\uDD12, \u00e9\uD83D\uDD12" })
	void lockWhenTheKeyIsTextIsThatText(String name, String key, String described) {
		assertThat(DisplayText.lock(name, key)).hasToString(described);
	}

	/** A key with a line feed used to write a line of its own into the log. */
	@Test
	void lockWhenTheKeyHasControlCharactersIsOnOneLine() {
		assertThat(DisplayText.lock("a\u2028", "b\r\nERROR forged\0\u0085\u202E\uD83D"))
			.hasToString("a\\u2028:b\\u000D\\u000AERROR forged\\u0000\\u0085\\u202E\\uD83D");
	}

	@Test
	void lockWhenTheKeyIsLongIsCut() {
		assertThat(DisplayText.lock("", "x".repeat(200))).hasToString("x".repeat(200));
		assertThat(DisplayText.lock("", "x".repeat(201))).hasToString("x".repeat(200) + "…");
		assertThat(DisplayText.lock("", "\uD83D\uDD12".repeat(1_000_000)))
			.hasToString("\uD83D\uDD12".repeat(100) + "…");
		assertThat(DisplayText.lock("", "\n".repeat(201))).hasToString("\\u000A".repeat(34) + "…");
	}

	@Test
	void textWhenMadeOfAnyCharacterHasOneVisibleLine() {
		for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
			String text = DisplayText.of("a" + Character.toString(codePoint) + "b").toString();
			assertThat(text.codePoints()).noneMatch((c) -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029
					|| Character.getType(c) == Character.FORMAT || Character.getType(c) == Character.SURROGATE);
		}
	}

	/** The remedy stands at the end. */
	@Test
	void textWhenLongKeepsItsBeginningAndItsEnd() {
		String half = "x".repeat(DisplayText.MAX_TEXT / 2);
		assertThat(DisplayText.of(half + half)).hasToString(half + half);
		assertThat(DisplayText.of("a" + "x".repeat(1_500_000) + "b"))
			.hasToString("a" + half.substring(1) + "\u2026" + half.substring(1) + "b");
		assertThat(DisplayText.of("\uD83D\uDD12".repeat(4_000) + "b").toString()).endsWith("\uD83D\uDD12b")
			.hasSizeLessThanOrEqualTo(DisplayText.MAX_TEXT + 1)
			.satisfies((text) -> assertThat(text.codePoints())
				.noneMatch((c) -> Character.getType(c) == Character.SURROGATE));
		assertThat(DisplayText.of(null)).hasToString("null");
	}

	@Test
	void textWhenEqualIsEqual() {
		assertThat(DisplayText.of("a\n")).isEqualTo(DisplayText.lock("", "a\n"))
			.hasSameHashCodeAs(DisplayText.of("a\n"));
		assertThat(DisplayText.of("a")).isNotEqualTo(DisplayText.of("b"));
	}

}
