package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import io.distributedlock.store.LockKey;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link LockKeys}.
 */
class LockKeysTests {

	private static final String ALPHABET = "{}{}%:~ab\u00e9\0";

	private final LockKeys keys = new LockKeys("lock:");

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
		assertThat(new String(this.keys.holders(key), StandardCharsets.UTF_8)).isEqualTo(names(List.of(key)).get(2));
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
			byte[][] all = this.keys.all(List.of(key));
			assertThat(Arrays.stream(all).map(ClusterSlotHashUtil::calculateSlot).distinct()).as(key.encoded())
				.hasSize(1);
		});
	}

	private static String text(SplittableRandom random, int length) {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < length; i++) {
			text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
		}
		return text.toString();
	}

	private List<String> names(List<LockKey> locks) {
		return Arrays.stream(this.keys.all(locks)).map((name) -> new String(name, StandardCharsets.UTF_8)).toList();
	}

}
