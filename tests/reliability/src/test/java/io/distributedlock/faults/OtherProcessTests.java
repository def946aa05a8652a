package io.distributedlock.faults;

import java.io.IOException;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIOException;

class OtherProcessTests {

	/** It blocked all tests of its fork. */
	@Test
	void answerOfAProcessThatHangsFailsInTime() throws IOException {
		try (OtherProcess hanging = new OtherProcess(Hanging.class)) {
			hanging.answer("ready");
			assertThatIOException().isThrownBy(() -> hanging.answer("more", Duration.ofMillis(100)))
				.withMessageContaining("was killed");
		}
	}

	static final class Hanging {

		private Hanging() {
		}

		public static void main(String[] args) throws InterruptedException {
			System.out.println("ready");
			Thread.currentThread().join();
		}

	}

}
