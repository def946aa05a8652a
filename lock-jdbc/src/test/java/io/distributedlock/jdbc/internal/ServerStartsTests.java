package io.distributedlock.jdbc.internal;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The starts of servers that raise doubt. */
class ServerStartsTests {

	private final AtomicInteger doubts = new AtomicInteger();

	private final ServerStarts starts = new ServerStarts(this.doubts::incrementAndGet);

	@Test
	void firstServerRaisesNoDoubt() {
		this.starts.answered(1);
		this.starts.answered(1);
		assertThat(this.doubts).hasValue(0);
	}

	@Test
	void serverThatWasStartedAgainRaisesDoubtOnce() {
		this.starts.answered(1);
		this.starts.answered(2);
		this.starts.answered(2);
		assertThat(this.doubts).hasValue(1);
	}

	/** An answer of before may come late, and a pooler may know both for a while. */
	@Test
	void serversThatAnswerByTurnsRaiseDoubtOnce() {
		for (int i = 0; i < 3; i++) {
			this.starts.answered(1);
			this.starts.answered(2);
		}
		assertThat(this.doubts).hasValue(1);
	}

}
