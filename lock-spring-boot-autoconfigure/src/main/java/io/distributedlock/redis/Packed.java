package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;

import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;

/**
 * Several values in one argument of a script, which takes less time and fewer bytes than
 * one each. Numbers are big-endian.
 */
final class Packed {

	/** More than three thousand years, which no arithmetic in a script overflows. */
	private static final Duration LONGEST = Duration.ofDays(1_200_000);

	private static final int LONGEST_ARGUMENT = 64;

	private final byte[] bytes;

	private int length;

	Packed() {
		this(LONGEST_ARGUMENT);
	}

	/** An argument whose length is known, which saves a copy. */
	Packed(int length) {
		this.bytes = new byte[length];
	}

	/** The contender in 10 bytes, and the number with its random bits in 6. */
	Packed request(RequestId request) {
		return number(request.instanceBits(), 8).number(request.sequenceBits(), 8);
	}

	/** In 6 bytes, rounded up: the holder of a lease relies on all of it. */
	Packed millis(Duration duration) {
		return number(ceil(duration), 6);
	}

	/** How long an entry counts, in 4 bytes: no more than 49 days. */
	Packed waiting(Duration duration) {
		return number(Math.min(ceil(duration), 0xFFFF_FFFFL), 4);
	}

	private static long ceil(Duration duration) {
		if (duration.compareTo(LONGEST) >= 0) {
			return LONGEST.toMillis();
		}
		long millis = duration.toMillis();
		return (duration.getNano() % 1_000_000 == 0) ? millis : millis + 1;
	}

	Packed number(long value, int size) {
		for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
			this.bytes[this.length++] = (byte) (value >>> shift);
		}
		return this;
	}

	/** A text as scripts read it. */
	static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/** How many bytes marks take. */
	static int length(RenewalMarks marks) {
		return (marks == RenewalMarks.NONE) ? 0 : 4 * ((marks.text().length() + 1) / (RenewalMarks.LENGTH + 1));
	}

	/** The newest one first, in 4 bytes each. None is zero, which stands for no mark. */
	Packed marks(RenewalMarks marks) {
		if (marks == RenewalMarks.NONE) {
			return this;
		}
		String text = marks.text();
		for (int from = 0; from < text.length(); from += RenewalMarks.LENGTH + 1) {
			int mark = HexFormat.fromHexDigits(text, from, from + RenewalMarks.LENGTH);
			number((mark != 0) ? mark : 1, 4);
		}
		return this;
	}

	byte[] toBytes() {
		return (this.length == this.bytes.length) ? this.bytes : Arrays.copyOf(this.bytes, this.length);
	}

}
