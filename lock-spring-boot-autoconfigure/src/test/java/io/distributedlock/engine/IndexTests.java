package io.distributedlock.engine;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IndexTests {

	private final Index<Object> index = new Index<>();

	/**
	 * A queue that retires met the next one of the same keys, which was found no more.
	 */
	@Test
	void removeWhenAnotherEntryHasTakenThePlaceLeavesThat() {
		Object retired = new Object();
		Object next = new Object();
		this.index.add("key", "id", retired);
		this.index.add("key", "id", next);
		this.index.remove("key", "id", retired);
		assertThat(this.index.of("key")).containsExactly(next);
		this.index.remove("key", "id", next);
		assertThat(this.index.isEmpty()).isTrue();
	}

}
