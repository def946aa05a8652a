package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptCommandsTests {

	private static final LockKey KEY = new LockKey("", "k");

	private final ScriptCommands commands = new ScriptCommands(RedisStoreSettings.DEFAULTS, WireCommand.server());

	private ScriptCommand<AcquireOutcome> acquire() {
		return this.commands.acquire(
				new AcquireCommand(KEY, new RequestId(1, 1), Duration.ofSeconds(3), Duration.ZERO, Duration.ZERO),
				WireCommand::outcome);
	}

	/**
	 * A lock that was only to be swept, or was kept, was taken for shared, and others
	 * with its hash.
	 */
	@Test
	void lockIsTakenForSharedOnceItsSortedSetsWereNeeded() {
		ScriptCommand<AcquireOutcome> first = acquire();
		assertThat(first.script()).isEqualTo(LockScript.LOCK);
		assertThat(first.isFollowed(-1L)).isTrue();
		assertThat(first.script()).isEqualTo(LockScript.ACQUIRE);
		assertThat(first.keys().length).isEqualTo(1);
		assertThat(acquire().script()).isEqualTo(LockScript.LOCK);
		assertThat(first.isFollowed(-1L)).isTrue();
		assertThat(first.keys().length).isEqualTo(5);
		assertThat(acquire().script()).isEqualTo(LockScript.ACQUIRE);
		assertThat(acquire().keys().length).isEqualTo(5);
	}

}
