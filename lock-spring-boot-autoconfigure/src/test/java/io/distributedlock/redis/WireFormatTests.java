package io.distributedlock.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link WireFormat}.
 */
class WireFormatTests {

	private static final String ALPHABET = "{}{}%:~ab\u00e9\0";

	private final WireFormat format = new WireFormat(RedisStoreSettings.DEFAULTS);

	@Test
	void setsFollowTheHashes() {
		assertThat(names(List.of(new LockKey("", "a"), new LockKey("n", "{b}c")))).containsExactly("lock::a",
				"lock:n:{b}c", "lock:%queue:{lock::a}", "lock:%holders:{lock::a}", "lock:%readers:{lock::a}",
				"lock:%admitted:{lock::a}", "lock:%queue:lock:n:{b}c", "lock:%holders:lock:n:{b}c",
				"lock:%readers:lock:n:{b}c", "lock:%admitted:lock:n:{b}c");
	}

	@Test
	void holdersAreTheSetOfThatName() {
		LockKey key = new LockKey("", "a");
		assertThat(new String(this.format.set("holders", key), StandardCharsets.UTF_8))
			.isEqualTo(names(List.of(key)).get(2));
	}

	/** A tag that is cut off by the shortening is none, for one. */
	@Test
	void setsAreInTheSlotOfTheirHash() {
		SplittableRandom random = new SplittableRandom(1);
		Stream<String> usual = Stream.generate(() -> text(random, 1 + random.nextInt(12))).limit(20_000);
		Stream<String> cut = Stream.generate(() -> text(random, 58 + random.nextInt(6)) + "{" + "x".repeat(300) + "}")
			.limit(2_000);
		Stream.concat(usual, cut).filter((text) -> !text.isBlank()).forEach((text) -> {
			LockKey key = new LockKey(random.nextBoolean() ? "" : text(random, random.nextInt(6)), text);
			byte[][] all = this.format.keys(List.of(key), true);
			assertThat(Arrays.stream(all).map(ClusterSlotHashUtil::calculateSlot).distinct()).as(key.encoded())
				.hasSize(1);
		});
	}

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
		byte[] packed = new byte[16];
		WireFormat.put(packed, 0, request);
		assertThat(HexFormat.of().formatHex(packed)).isEqualTo("1122334455667788" + "9900" + "0aabbccddeef");
	}

	@Test
	void marksAreInOrder() {
		assertThat(hex(RenewalMarks.NONE)).isEmpty();
		RenewalMarks marks = RenewalMarks.NONE.with(2, 0).with(0xABCDEF01, 0);
		assertThat(hex(marks)).isEqualTo("abcdef01" + "00000002");
		assertThat(hex(RenewalMarks.NONE.with(0, 0))).isEqualTo("00000001");
	}

	private static long number(Packed packed) {
		byte[] bytes = packed.toBytes();
		return ByteBuffer.allocate(8).put(8 - bytes.length, bytes).getLong(0);
	}

	private static String hex(RenewalMarks marks) {
		return HexFormat.of().formatHex(new Packed().marks(marks).toBytes());
	}

	private static String text(SplittableRandom random, int length) {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < length; i++) {
			text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
		}
		return text.toString();
	}

	private List<String> names(List<LockKey> locks) {
		return Arrays.stream(this.format.keys(locks, true))
			.map((name) -> new String(name, StandardCharsets.UTF_8))
			.toList();
	}

}
