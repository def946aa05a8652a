package io.distributedlock.redis;

import java.util.stream.IntStream;

import io.distributedlock.store.LockKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RefusedKeysTests {

	private final RefusedKeys keys = new RefusedKeys(() -> this.now);

	private long now = Long.MAX_VALUE - 7;

	private static LockKey key(int number) {
		return new LockKey("", "key-" + number);
	}

	@Test
	void keyIsRememberedUntilOneOfItsCommandsIsAnswered() {
		assertThat(this.keys.contains(key(1))).isFalse();
		this.keys.refused(key(1));
		this.keys.answered(key(2));
		assertThat(this.keys.contains(key(1))).isTrue();
		assertThat(this.keys.contains(key(2))).isFalse();
		this.keys.answered(key(1));
		assertThat(this.keys.contains(key(1))).isFalse();
	}

	@Test
	void keyIsForgottenSomeTimeAfterItsLastRefusal() {
		this.keys.refused(key(1));
		this.now += RefusedKeys.REMEMBERED.toNanos() - 1;
		assertThat(this.keys.contains(key(1))).isTrue();
		this.keys.refused(key(1));
		this.now += RefusedKeys.REMEMBERED.toNanos() - 1;
		assertThat(this.keys.contains(key(1))).isTrue();
		this.now++;
		assertThat(this.keys.contains(key(1))).isFalse();
	}

	@Test
	void ofTooManyTheOldestIsForgotten() {
		IntStream.range(0, RefusedKeys.MOST).forEach((i) -> this.keys.refused(key(i)));
		this.keys.refused(key(0));
		this.keys.refused(key(RefusedKeys.MOST));
		assertThat(this.keys.contains(key(1))).isFalse();
		assertThat(IntStream.range(0, RefusedKeys.MOST + 1).filter((i) -> this.keys.contains(key(i))))
			.hasSize(RefusedKeys.MOST);
	}

}
