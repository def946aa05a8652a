package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.distributedlock.LockMode;
import io.distributedlock.store.RequestId;

/**
 * How scripts read what they are given.
 */
final class ScriptArguments {

	/** More than three thousand years, which no arithmetic in a script overflows. */
	private static final Duration LONGEST = Duration.ofDays(1_200_000);

	private ScriptArguments() {
	}

	static byte[] letter(LockMode mode) {
		return utf8(switch (mode) {
			case FAIR -> "F";
			case READ -> "R";
			case SEMAPHORE -> "S";
			default -> "X";
		});
	}

	static byte[] bytes(RequestId request) {
		return request.toString().getBytes(StandardCharsets.ISO_8859_1);
	}

	static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/** Rounded up: the holder of a lease relies on all of it. */
	static byte[] millis(Duration duration) {
		return number(((duration.compareTo(LONGEST) < 0) ? duration.plusNanos(999_999) : LONGEST).toMillis());
	}

	static byte[] number(long value) {
		return Long.toString(value).getBytes(StandardCharsets.ISO_8859_1);
	}

}
