package io.distributedlock.autoconfigure;

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
	void describeWhenTheConnectionTakesTooLongSuspectsTls() {
		LockStoreException failure = new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "Cannot use Redis",
				new TimeoutException("no answer within 100ms"));
		assertThat(new Unchecked(failure).describe("Redis at redis1:6379", true))
			.isEqualTo("Redis at redis1:6379: no answer within 100ms (TLS where the server has none?)");
	}

}
