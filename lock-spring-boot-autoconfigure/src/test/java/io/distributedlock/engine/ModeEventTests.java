package io.distributedlock.engine;

import java.time.Duration;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks of every mode are told about in the same events, each with its mode.
 */
@Timeout(60)
class ModeEventTests {

	private final ManualInstance here = new ManualInstance();

	private final ScriptedStore store = this.here.store;

	private static LockRequest request(LockMode mode) {
		LockRequest request = LockRequest.of("k").name("stock").waitFor(Duration.ZERO);
		return (mode == LockMode.SEMAPHORE) ? request.permits(1) : request.mode(mode);
	}

	private static LockMode told(LockMode mode) {
		return (mode == LockMode.DEFAULT || mode == LockMode.WRITE) ? LockMode.EXCLUSIVE : mode;
	}

	@ParameterizedTest
	@EnumSource
	void acquisitionAndReleaseAreTold(LockMode mode) {
		this.here.acquire(request(mode)).join().close();
		assertTold(mode, LockEvent.Acquired.class, LockEvent.Released.class);
	}

	@ParameterizedTest
	@EnumSource
	void busyLockIsTold(LockMode mode) {
		LockMode other = (mode == LockMode.READ) ? LockMode.WRITE : mode;
		Lease elsewhere = this.here.another().acquire(request(other)).join();
		assertThat(this.here.acquire(request(mode))).isCompletedExceptionally();
		assertTold(mode, LockEvent.Busy.class);
		elsewhere.close();
	}

	@ParameterizedTest
	@EnumSource
	void renewalThatFailedAndLossAreTold(LockMode mode) {
		this.here.acquire(request(mode).ttl(Duration.ofSeconds(30))).join();
		this.store.fail(Command.RENEW, Kind.UNAVAILABLE);
		this.store.locks().remove("stock", "k");
		this.here.advance(Duration.ofSeconds(30));
		assertTold(mode, LockEvent.Acquired.class, LockEvent.RenewalFailed.class, LockEvent.Lost.class);
	}

	@ParameterizedTest
	@EnumSource
	void releaseThatFailedIsTold(LockMode mode) {
		Lease lease = this.here.acquire(request(mode)).join();
		this.store.fail(Command.RELEASE, Kind.UNAVAILABLE);
		lease.close();
		assertTold(mode, LockEvent.Acquired.class, LockEvent.ReleaseFailed.class);
	}

	/** It failed on the way of the release, whose future then failed. */
	@Test
	void listenerThatCannotSayWhetherItListensIsToldAndDisturbsNothing() {
		this.here.listening = () -> {
			throw new IllegalStateException("no answer");
		};
		Lease lease = this.here.acquire(request(LockMode.WRITE)).join();
		assertThat(ManualInstance.failure(this.here.acquire(request(LockMode.WRITE))))
			.isInstanceOf(LockNotAcquiredException.class);
		assertThat(lease.release()).isCompletedWithValue(null);
		assertTold(LockMode.WRITE, LockEvent.Acquired.class, LockEvent.Busy.class, LockEvent.Released.class);
	}

	private void assertTold(LockMode mode, Class<?>... types) {
		assertThat(this.here.events).extracting(LockEvent::mode).containsOnly(told(mode));
		assertThat(this.here.events).extracting(Object::getClass).doesNotHaveDuplicates().containsExactly(types);
	}

}
