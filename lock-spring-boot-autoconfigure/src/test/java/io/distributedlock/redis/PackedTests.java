package io.distributedlock.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;

import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link Packed}.
 */
class PackedTests {

	/** What was cut off was missing from the lease, and its holder relied on it. */
	@ParameterizedTest
	@CsvSource({ "0, 0", "1, 1", "1000000, 1", "1000001, 2", "1999999, 2" })
	void millisecondsAreNeverLessThanTheTime(long nanos, long millis) {
		Duration duration = Duration.ofNanos(nanos);
		assertThat(number(new Packed().millis(duration))).isEqualTo(millis);
		assertThat(number(new Packed().waiting(duration))).isEqualTo(millis);
	}

	@Test
	void durationsThatAreTooLongAreTheLongest() {
		Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
		assertThat(number(new Packed().millis(forever))).isEqualTo(Duration.ofDays(1_200_000).toMillis());
		assertThat(number(new Packed().waiting(forever))).isEqualTo(0xFFFF_FFFFL);
	}

	@Test
	void requestIsItsContenderAndThenItsNumber() {
		RequestId request = RequestId.of(0x1122334455667788L, 0x9900, 0xAABBCCDDL, 0xEEF);
		assertThat(hex(new Packed().request(request))).isEqualTo("1122334455667788" + "9900" + "0aabbccddeef");
	}

	@Test
	void marksAreInOrder() {
		assertThat(hex(new Packed().marks(RenewalMarks.NONE))).isEmpty();
		RenewalMarks marks = RenewalMarks.NONE.with(2, 0).with(0xABCDEF01, 0);
		assertThat(hex(new Packed().marks(marks))).isEqualTo("abcdef01" + "00000002");
		assertThat(hex(new Packed().marks(RenewalMarks.NONE.with(0, 0)))).isEqualTo("00000001");
	}

	private static long number(Packed packed) {
		byte[] bytes = packed.toBytes();
		return ByteBuffer.allocate(8).put(8 - bytes.length, bytes).getLong(0);
	}

	private static String hex(Packed packed) {
		return HexFormat.of().formatHex(packed.toBytes());
	}

}
