package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptCommandTests {

	private static final LockKey KEY = new LockKey("", "k");

	private final LockServer server = WireCommand.server(RedisStoreSettings.DEFAULTS);

	private ScriptCommand<AcquireOutcome> acquire() {
		AcquireCommand command = new AcquireCommand(KEY, new RequestId(1, 1), Duration.ofSeconds(3), Duration.ZERO,
				Duration.ZERO);
		return ScriptCommand.acquire(this.server, command, true,
				(answer) -> this.server.format.outcome(command, answer));
	}

	/**
	 * A lock that was only to be swept, or was kept, was taken for shared, and others
	 * with its hash.
	 */
	@Test
	void lockIsTakenForSharedOnceItsSortedSetsWereNeeded() {
		ScriptCommand<AcquireOutcome> first = acquire();
		assertThat(first.kind()).isEqualTo(LockScript.LOCK);
		assertThat(first.isFollowed(-1L)).isTrue();
		assertThat(first.kind()).isEqualTo(LockScript.ACQUIRE);
		assertThat(first.keys().length).isEqualTo(1);
		assertThat(acquire().kind()).isEqualTo(LockScript.LOCK);
		assertThat(first.isFollowed(-1L)).isTrue();
		assertThat(first.keys().length).isEqualTo(5);
		assertThat(acquire().kind()).isEqualTo(LockScript.ACQUIRE);
		assertThat(acquire().keys().length).isEqualTo(5);
	}

}
