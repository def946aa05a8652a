package io.distributedlock.store;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class LockKeyTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			orders | 42        | orders:42
			""     | 42        | :42
			""     | a:b       | :a:b
			a:b    | c         | a%3Ab:c
			a      | b:c       | a:b%3Ac
			a      | {b:c}d:e  | a:{b:c}d%3Ae
			{a:b}  | {c:d}     | {a%3Ab}:%7Bc%3Ad%7D
			""     | {b:c}d:e  | :{b:c}d:e
			a      | 50%       | a:50%25
			a      | x~y       | a:x%7Ey
			a      | {tag}x    | a:{tag}x
			{tag}  | x         | {tag}:x
			{tag}  | {x}       | {tag}:%7Bx%7D
			a      | {one}{two}| a:{one}%7Btwo%7D
			a      | {}        | a:%7B%7D
			a      | {}{x}     | a:%7B%7D%7Bx%7D
			a      | }{        | a:%7D%7B
			{a     | b}        | %7Ba:b%7D
			a      | *?[x]     | a:*?[x]
			a      | "x y"     | a:x y
			""")
	void encodingIs(String name, String key, String encoded) {
		assertThat(new LockKey(name, key).encoded()).isEqualTo(encoded);
	}

	@Test
	void controlCharactersAreEncoded() {
		assertThat(new LockKey("a", "x\0\n\r\t\u007F\u0085").encoded()).isEqualTo("a:x%00%0A%0D%09%7F%u0085");
	}

	@Test
	void emojiStayAndLoneSurrogatesAreEncoded() {
		assertThat(new LockKey("a", "\uD83D\uDD12").encoded()).isEqualTo("a:\uD83D\uDD12");
		assertThat(new LockKey("a", "\uD83Dx").encoded()).isEqualTo("a:%uD83Dx");
		assertThat(new LockKey("a", "x\uDD12").encoded()).isEqualTo("a:x%uDD12");
		assertThat(new LockKey("a", "\uDD12\uD83D").encoded()).isEqualTo("a:%uDD12%uD83D");
	}

	@Test
	void surrogatesOfNameAndKeyDoNotMeet() {
		assertThat(new LockKey("\uD83D", "\uDD12").encoded()).isEqualTo("%uD83D:%uDD12");
	}

	@Test
	void longKeysKeepTheirBeginningAndDiffer() {
		String one = new LockKey("n", "x".repeat(1_000_000)).encoded();
		String other = new LockKey("n", "x".repeat(999_999) + "y").encoded();
		assertThat(one).startsWith("n:xxxx").hasSize(64 + 1 + 64).isNotEqualTo(other);
	}

	/** It threw for a long name, whose beginning has no colon. */
	@Test
	void keyOfAnEncodingIsEqualToTheKeyItself() {
		for (LockKey key : List.of(new LockKey("n", "k"), new LockKey("", "k"), new LockKey("n".repeat(300), "k"))) {
			LockKey named = LockKey.ofEncoded(key.encoded());
			assertThat(named).isEqualTo(key);
			assertThat(named.encoded()).isEqualTo(key.encoded());
			assertThat(named.key()).isNotEmpty();
		}
	}

	@Test
	void lengthIsBoundedAtTheBorder() {
		assertThat(new LockKey("n", "x".repeat(254)).encoded()).hasSize(256).doesNotContain("~");
		assertThat(new LockKey("n", "x".repeat(255)).encoded()).contains("~");
		assertThat(new LockKey("n", "\u20AC".repeat(84)).encoded()).doesNotContain("~");
		assertThat(new LockKey("n", "\u20AC".repeat(85)).encoded()).contains("~");
		assertThat(bytes(new LockKey("n", "\uD83D\uDD12".repeat(100)).encoded())).isLessThanOrEqualTo(256);
	}

	@Test
	void encodingCannotBeForgedByAKeyThatLooksEncoded() {
		LockKey longKey = new LockKey("n", "x".repeat(1_000));
		assertThat(new LockKey("n", longKey.encoded().substring(2))).isNotEqualTo(longKey);
		assertThat(new LockKey("a", "%00")).isNotEqualTo(new LockKey("a", "\0"));
		assertThat(new LockKey("a", "%uD83D")).isNotEqualTo(new LockKey("a", "\uD83D"));
	}

	@Test
	void equalityIsThatOfTheEncoding() {
		LockKey key = new LockKey("a", "b");
		assertThat(key).isEqualTo(new LockKey("a", "b"))
			.hasSameHashCodeAs(new LockKey("a", "b"))
			.hasToString("a:b")
			.isNotEqualTo(new LockKey("", "a:b!"))
			.isNotEqualTo("a:b");
		assertThat(key.name()).isEqualTo("a");
		assertThat(key.key()).isEqualTo("b");
	}

	@ParameterizedTest
	@ValueSource(strings = { "k", "a:b", "100%", "a b", "{tag}:1", "{a}{b}", "~", "\u65e5" })
	void keyIsAsTheCallerWroteIt(String key) {
		assertThat(new LockKey("", key).key()).isEqualTo(key);
		assertThat(new LockKey("n:m", key).key()).isEqualTo(key);
		assertThat(new LockKey("name", key).key()).isEqualTo(key);
	}

	@Test
	void keyWhoseEncodingIsShortenedToItsLengthIsAsWritten() {
		String key = "\u65e5".repeat(86);
		LockKey lock = new LockKey("", key);
		assertThat(lock.encoded()).hasSize(1 + key.length());
		assertThat(lock.key()).isEqualTo(key);
	}

	@Test
	void differentPairsHaveDifferentEncodings() {
		Random random = new Random(42);
		List<String> alphabet = List.of(":", "%", "~", "{", "}", "a", "0", "A", "7B", "3A", "u", "\0", "\n", "\uD83D",
				"\uDD12", "\u00e9", "\u0085", " ");
		Map<String, List<String>> seen = new HashMap<>();
		for (int i = 0; i < 300_000; i++) {
			List<String> pair = List.of(text(random, alphabet), text(random, alphabet));
			String encoded = new LockKey(pair.get(0), pair.get(1)).encoded();
			List<String> other = seen.putIfAbsent(encoded, pair);
			assertThat(other == null || other.equals(pair)).as("%s and %s are both '%s'", pair, other, encoded)
				.isTrue();
			assertThat(bytes(encoded)).isLessThanOrEqualTo(LockKey.MAX_BYTES);
		}
	}

	/**
	 * Two applications share a server, and the prefix of one begins with that of the
	 * other.
	 */
	@Test
	void keysUnderNestedPrefixesDoNotMeet() {
		Random random = new Random(42);
		List<String> prefixes = List.of("a:", "a:a:", "a:0:", "a:a:0:", "a:%3A:", "a:~:", "a:7B:a:");
		List<String> alphabet = List.of(":", ":", "a", "0", "{", "}", "%3A", "7B", "~");
		Map<String, List<String>> seen = new HashMap<>();
		for (int i = 0; i < 300_000; i++) {
			List<String> lock = List.of(prefixes.get(random.nextInt(prefixes.size())), text(random, alphabet),
					text(random, alphabet));
			String stored = lock.get(0) + new LockKey(lock.get(1), lock.get(2)).encoded();
			List<String> other = seen.putIfAbsent(stored, lock);
			assertThat(other == null || other.equals(lock)).as("%s and %s are both '%s'", lock, other, stored).isTrue();
		}
	}

	@Test
	void longKeysUnderNestedPrefixesDoNotMeet() {
		String key = "orders:" + "x".repeat(300);
		assertThat("lock:" + new LockKey("shop", key).encoded())
			.isNotEqualTo("lock:shop:" + new LockKey("orders", "x".repeat(300)).encoded());
	}

	private static String text(Random random, List<String> alphabet) {
		StringBuilder text = new StringBuilder();
		for (int length = random.nextInt(6); length > 0; length--) {
			text.append(alphabet.get(random.nextInt(alphabet.size())));
		}
		return text.toString();
	}

	private static int bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8).length;
	}

}
