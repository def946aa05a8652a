package io.distributedlock.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * {@link WireFormat}.
 */
class WireFormatTests {

	private static final LockKey KEY = new LockKey("", "a");

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

	/** Rounded down, a lease was shorter in Redis than its holder believed. */
	@ParameterizedTest
	@CsvSource({ "0, 0", "1, 1", "1000000, 1", "1000001, 2", "1999999, 2" })
	void millisecondsAreNeverLessThanTheTime(long nanos, long millis) {
		Duration duration = Duration.ofNanos(nanos);
		assertThat(number(new Packed().millis(duration))).isEqualTo(millis);
		assertThat(number(new Packed().waiting(duration))).isEqualTo(millis);
	}

	/** A number that was cut off became another one: 65,536 locks were none. */
	@ParameterizedTest
	@CsvSource({ "65535, 2", "4294967295, 4", "281474976710655, 6", "9007199254740992, 7" })
	void numberThatDoesNotFitIsRefused(long most, int size) {
		assertThat(number(new Packed().number(most, size))).isEqualTo(most);
		for (long wrong : new long[] { most + 1, -1, Long.MAX_VALUE, Long.MIN_VALUE }) {
			assertThatIllegalArgumentException().isThrownBy(() -> new Packed().number(wrong, size))
				.withMessageContaining(String.valueOf(wrong));
		}
	}

	@Test
	void durationsThatAreTooLongAreTheLongest() {
		Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
		assertThat(number(new Packed().millis(forever))).isEqualTo(Duration.ofDays(1_200_000).toMillis());
		assertThat(number(new Packed().waiting(forever))).isEqualTo(0xFFFF_FFFFL);
	}

	@Test
	void durationThatIsNegativeIsRefused() {
		Duration negative = Duration.ofNanos(-1);
		assertThatIllegalArgumentException().isThrownBy(() -> new Packed().millis(negative));
		assertThatIllegalArgumentException().isThrownBy(() -> new Packed().waiting(negative));
	}

	/** Each would be another lock, lease, limit or range of tokens if it were cut. */
	@ParameterizedTest
	@MethodSource
	void commandWithANumberThatDoesNotFitIsRefused(Consumer<WireFormat> command) {
		assertThatIllegalArgumentException().isThrownBy(() -> command.accept(this.format))
			.withMessageContaining("does not fit");
	}

	static Stream<Consumer<WireFormat>> commandWithANumberThatDoesNotFitIsRefused() {
		RequestId request = RequestId.of(1, 0, 1, 0);
		List<LockKey> many = Collections.nCopies(70_000, KEY);
		return Stream.of((format) -> format.acquire(acquire(many, 0, 0, 0, Duration.ZERO), true),
				(format) -> format.release(new ReleaseCommand(many, request, RenewalMarks.NONE)),
				(format) -> format.abandon(new AbandonCommand(many, request)),
				(format) -> format.raise(new RaiseCommand(many, request, 1)),
				(format) -> format.raise(new RaiseCommand(List.of(KEY), request, (1L << 53) + 1)),
				(format) -> format.renewals(65_536, 1), (format) -> format.renewals(1, 65_536),
				(format) -> WireFormat.renewal(request, Duration.ofSeconds(1), RenewalMarks.NONE, 65_536),
				(format) -> format.acquire(acquire(List.of(KEY), -1, 0, 0, Duration.ZERO), true),
				(format) -> format.lock(acquire(List.of(KEY), 0, -1, 0, Duration.ZERO), true),
				(format) -> format.lock(acquire(List.of(KEY), 0, (1L << 53) + 1, 0, Duration.ZERO), true),
				(format) -> format.lock(acquire(List.of(KEY), 0, 0, 65_536, Duration.ZERO), true),
				(format) -> format.acquire(acquire(List.of(KEY), 0, 0, 65_536, Duration.ZERO), true));
	}

	private static AcquireCommand acquire(List<LockKey> keys, int permits, long highest, int spare, Duration claim) {
		return new AcquireCommand(keys, RequestId.of(1, 0, 1, 0), LockMode.EXCLUSIVE, permits, null,
				Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO, highest, false, spare, claim);
	}

	/** A release would otherwise give the lock to a waiter that is not told. */
	@Test
	void claimWhenMessagesAreNotHeardIsLeftOut() {
		AcquireCommand command = acquire(List.of(KEY), 0, 0, 0, Duration.ofMillis(0x1234));
		assertThat(HexFormat.of().formatHex(this.format.lock(command, true))).endsWith("1234");
		assertThat(HexFormat.of().formatHex(this.format.lock(command, false))).endsWith("0000");
		assertThat(HexFormat.of().formatHex(this.format.acquire(command, true)[1]))
			.endsWith("1234" + "00000000" + "0001");
		assertThat(HexFormat.of().formatHex(this.format.acquire(command, false)[1]))
			.endsWith("0000" + "00000000" + "0001");
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
