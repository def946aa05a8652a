package io.distributedlock.sample.sale;

import io.distributedlock.sample.shop.StaleWriteException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class StaleWritesTests {

	private final StaleWriteException stale = mock(StaleWriteException.class);

	@Test
	void findWhenItIsTheCauseFindsIt() {
		assertThat(StaleWrites.find(new IllegalStateException(new IllegalStateException(this.stale))))
			.contains(this.stale);
	}

	@Test
	void findWhenItIsSuppressedFindsIt() {
		RuntimeException lost = new IllegalStateException("lost");
		lost.addSuppressed(this.stale);
		assertThat(StaleWrites.find(lost)).contains(this.stale);
	}

	@Test
	void findWhenThereIsNoneIsEmpty() {
		assertThat(StaleWrites.find(new IllegalStateException(new IllegalStateException()))).isEmpty();
	}

}
