package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

import io.distributedlock.redis.internal.driver.ScriptCall;
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
		return ScriptCommand.acquire(this.server, command, true, this.server.format::outcome);
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
		assertThat(first.call().keys.length).isEqualTo(1);
		assertThat(acquire().kind()).isEqualTo(LockScript.LOCK);
		assertThat(first.isFollowed(-1L)).isTrue();
		assertThat(first.call().keys.length).isEqualTo(5);
		assertThat(acquire().kind()).isEqualTo(LockScript.ACQUIRE);
		assertThat(acquire().call().keys.length).isEqualTo(5);
	}

	@Test
	void commandIsCancelledWithItsCallAndItsCallWithTheCommand() {
		List<ScriptCall> sent = new ArrayList<>();
		ScriptCommand<AcquireOutcome> dropped = acquire().send(new SendingRunner(sent::add));
		sent.get(0).cancel(false);
		assertThat(dropped).isCancelled();
		acquire().send(new SendingRunner(sent::add)).cancel(false);
		assertThat(sent.get(1)).isCancelled();
	}

	@Test
	void commandThatWasCancelledIsNotSent() {
		List<ScriptCall> sent = new ArrayList<>();
		ScriptCommand<AcquireOutcome> cancelled = acquire();
		cancelled.cancel(false);
		cancelled.send(new SendingRunner(sent::add));
		assertThat(sent).isEmpty();
	}

	@Test
	void commandWhoseNextScriptCannotBeSentFails() {
		Queue<ScriptCall> sent = new ArrayBlockingQueue<>(1);
		ScriptCommand<AcquireOutcome> command = acquire().send(new SendingRunner(sent::add));
		sent.element().complete(-1L);
		assertThat(command).isCompletedExceptionally();
	}

}
