package io.distributedlock.hostile;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

import io.distributedlock.store.LockKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The corpus is complete, and a store tells all its names apart. */
class HostileNamesTests {

	private final List<HostileName> keys = HostileNames.keys();

	@Test
	void corpusWhenCountedIsLargeAndHasNothingTwice() {
		assertThat(this.keys).hasSizeGreaterThan(500);
		assertThat(this.keys.stream().filter((key) -> !key.reason().equals("generated"))).hasSizeGreaterThan(500);
		assertThat(HostileNames.namespaces()).hasSizeGreaterThan(30).doesNotHaveDuplicates();
		assertThat(new HashSet<>(this.keys.stream().map(HostileName::identity).toList())).hasSameSizeAs(this.keys);
	}

	@Test
	void corpusWhenMadeAgainIsTheSame() {
		assertThat(HostileNames.keys()).isEqualTo(this.keys);
	}

	/** Every key in every namespace, more than thirty thousand pairs. */
	@Test
	void encodingsWhenOfDifferentLocksAreDifferent() {
		Map<String, HostileName> seen = new HashMap<>();
		for (String namespace : HostileNames.namespaces()) {
			for (HostileName key : this.keys) {
				if (namespace.isEmpty() || key.key().length() < 10_000) {
					HostileName lock = key.inNamespace(namespace);
					HostileName other = seen.put(lock.lockKey().encoded(), lock);
					assertThat(other).as("has the encoding of %s", lock).isNull();
				}
			}
		}
	}

	/** The driver's encoder would put a question mark where UTF-8 has no character. */
	@Test
	void encodingsWhenWrittenInUtf8LoseNothing() throws CharacterCodingException {
		for (HostileName key : this.keys) {
			String encoded = key.lockKey().encoded();
			int bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(encoded)).limit();
			assertThat(bytes).as("bytes of %s", key).isBetween(2, LockKey.MAX_BYTES);
			assertThat(encoded.chars().noneMatch(Character::isISOControl)).as("control characters of %s", key).isTrue();
		}
	}

	@Test
	void reportsWhenOfHostileTextAreHarmless() {
		for (HostileName key : this.keys) {
			assertThat(key.toString()).matches("[ -~\u2026]+").hasSizeLessThan(600);
		}
	}

	@Test
	void blankKeysWhenRequestedAreRefused() {
		for (String blank : HostileNames.blank()) {
			assertThatExceptionOfType(IllegalArgumentException.class)
				.isThrownBy(() -> new HostileName("", blank, "blank").request())
				.as(HostileName.escaped(blank))
				.withMessage("The key of a lock must not be null or blank");
		}
	}

}
