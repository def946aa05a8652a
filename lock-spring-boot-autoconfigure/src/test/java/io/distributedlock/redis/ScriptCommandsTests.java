package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptCommandsTests {

	private static final LockKey KEY = new LockKey("", "k");

	private final ScriptCommands commands = new ScriptCommands(RedisStoreSettings.DEFAULTS);

	private ScriptCommand acquire() {
		return this.commands
			.acquire(new AcquireCommand(KEY, new RequestId(1, 1), Duration.ofSeconds(3), Duration.ZERO, Duration.ZERO));
	}

	/**
	 * A lock that was only to be swept, or was kept, was taken for shared, and others
	 * with its hash.
	 */
	@Test
	void lockIsTakenForSharedOnceItsSortedSetsWereNeeded() {
		ScriptCommand first = acquire();
		assertThat(first.script()).isEqualTo(LockScript.LOCK);
		this.commands.sentOn(first);
		assertThat(acquire().script()).isEqualTo(LockScript.LOCK);
		ScriptCommand second = first.general().get();
		assertThat(second.script()).isEqualTo(LockScript.ACQUIRE);
		assertThat(second.keys().length).isEqualTo(1);
		this.commands.sentOn(second);
		assertThat(acquire().script()).isEqualTo(LockScript.ACQUIRE);
		assertThat(acquire().keys().length).isEqualTo(5);
	}

}
