package io.distributedlock;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class LockExceptionTests {

	@ParameterizedTest
	@CsvSource({ "'', 42, 42", "orders, 42, orders:42", "'', a b, a b", "'', \u00e9\uD83D\uDD12, \u00e9\uD83D\uDD12" })
	void descriptionWhenTheKeyIsTextIsThatText(String name, String key, String described) {
		assertThat(LockException.described(name, key)).isEqualTo(described);
	}

	/** A key with a line feed used to write a line of its own into the log. */
	@Test
	void descriptionWhenTheKeyHasControlCharactersIsOnOneLine() {
		assertThat(LockException.described("a\u2028", "b\r\nERROR forged\0\u0085\u202E\uD83D"))
			.isEqualTo("a\\u2028:b\\u000D\\u000AERROR forged\\u0000\\u0085\\u202E\\uD83D");
	}

	@Test
	void descriptionWhenTheKeyIsLongIsCut() {
		assertThat(LockException.described("", "x".repeat(200))).isEqualTo("x".repeat(200));
		assertThat(LockException.described("", "x".repeat(201))).isEqualTo("x".repeat(200) + "…");
		assertThat(LockException.described("", "\uD83D\uDD12".repeat(1_000_000)))
			.isEqualTo("\uD83D\uDD12".repeat(100) + "…");
		assertThat(LockException.described("", "\n".repeat(201))).isEqualTo("\\u000A".repeat(34) + "…");
	}

	@Test
	void exceptionsWhenTheKeyIsHostileDescribeItAndKeepIt() {
		String key = "a\nb".repeat(1_000);
		LockNotAcquiredException busy = new LockNotAcquiredException("n", key, null, Duration.ZERO, null);
		assertThat(busy.getMessage()).startsWith("Lock 'n:a\\u000Aba\\u000Ab").hasSizeLessThan(300);
		assertThat(busy.getKey()).isEqualTo(key);
		assertThat(LockRequest.of(key).toString()).startsWith("LockRequest[[a\\u000Ab").hasSizeLessThan(300);
	}

}
