package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.ScriptedStore.Command;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Code of users that fails. */
class CallbacksTests {

	private final ManualInstance instance = new ManualInstance();

	/** The others were not told, since the log of the failure failed as well. */
	@Test
	void dangerWhenAFailureCannotBeLoggedIsToldToTheOthers() {
		AtomicInteger told = new AtomicInteger();
		Lease lease = this.instance.acquire(LockRequest.of("k").ttl(Duration.ofSeconds(3))).join();
		lease.onEndangered((failure) -> {
			throw new FailureThatCannotBeLogged();
		});
		lease.onEndangered((failure) -> told.incrementAndGet());
		this.instance.store.silence(Command.RENEW);
		this.instance.advance(Duration.ofMillis(2900));
		assertThat(told).hasValue(1);
	}

	private static final class FailureThatCannotBeLogged extends IllegalStateException {

		@Override
		public String getMessage() {
			throw new NoClassDefFoundError("thrown by the log");
		}

	}

}
