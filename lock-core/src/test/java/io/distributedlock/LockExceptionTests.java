package io.distributedlock;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockExceptionTests {

	@Test
	void exceptionsWhenTheKeyIsHostileDescribeItAndKeepIt() {
		String key = "a\nb".repeat(1_000);
		LockNotAcquiredException busy = new LockNotAcquiredException("n", key, null, Duration.ZERO, null);
		assertThat(busy.getMessage()).startsWith("Lock 'n:a\\u000Aba\\u000Ab").hasSizeLessThan(300);
		assertThat(busy.getKey()).isEqualTo(key);
		assertThat(LockRequest.of(key).toString()).startsWith("LockRequest[[a\\u000Ab").hasSizeLessThan(300);
	}

	/** Text from a server or another instance may be part of a message. */
	@Test
	void messageWhenItHasControlCharactersIsOnOneLine() {
		assertThat(new LockException("Redis said: a\r\nERROR forged\u2028").getMessage())
			.isEqualTo("Redis said: a\\u000D\\u000AERROR forged\\u2028");
		assertThat(new LockException("x".repeat(1_000_000), null).getMessage()).hasSizeLessThan(5_000);
	}

}
