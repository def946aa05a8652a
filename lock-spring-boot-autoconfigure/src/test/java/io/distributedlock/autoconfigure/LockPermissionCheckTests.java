package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockStoreException;
import io.distributedlock.autoconfigure.LockPermissionCheck.Unchecked;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockPermissionCheckTests {

	/**
	 * As where a busy machine opens the connection for longer than an answer may take.
	 */
	@Test
	void describeWhenTheConnectionTakesTooLongSaysThatThereIsNoAnswerInTime() {
		LockStoreException failure = new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "Cannot use Redis",
				new TimeoutException());
		assertThat(new Unchecked(failure).describe("Redis", Duration.ofMillis(100), true))
			.isEqualTo("Redis: no answer within 100ms (TLS where the server has none?)");
	}

}
