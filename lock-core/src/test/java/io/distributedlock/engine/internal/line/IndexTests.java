package io.distributedlock.engine.internal.line;

import java.util.List;

import io.distributedlock.store.LockKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IndexTests {

	private static final List<LockKey> KEYS = List.of(new LockKey("key", "key"));

	private final Index<Object> index = new Index<>();

	/**
	 * A queue that retires met the next one of the same keys, which was found no more.
	 */
	@Test
	void removeWhenAnotherEntryHasTakenThePlaceLeavesThat() {
		Object retired = new Object();
		Object next = new Object();
		this.index.add(KEYS, "", "id", retired);
		this.index.add(KEYS, "", "id", next);
		this.index.remove(KEYS, "", "id", retired);
		assertThat(this.index.of(KEYS.get(0).encoded(), "")).containsExactly(next);
		this.index.remove(KEYS, "", "id", next);
		assertThat(this.index.isEmpty()).isTrue();
	}

}
