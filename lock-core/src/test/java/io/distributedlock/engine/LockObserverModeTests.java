package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.LossReason;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks of every mode are reported by the same events, each with its mode.
 */
class LockObserverModeTests {

	private final ManualInstance here = new ManualInstance();

	private final ScriptedStore store = this.here.store;

	private static LockRequest request(LockMode mode) {
		LockRequest request = LockRequest.of("stock", "k").waitFor(Duration.ZERO);
		return (mode == LockMode.SEMAPHORE) ? request.permits(1) : request.mode(mode);
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
		LockMode other = (mode == LockMode.READ) ? LockMode.EXCLUSIVE : mode;
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
	void listenerThatCannotSayIfItListensIsTold() {
		this.here.listening = () -> {
			throw new IllegalStateException("no answer");
		};
		Lease lease = this.here.acquire(request(LockMode.EXCLUSIVE)).join();
		assertThat(ManualInstance.failure(this.here.acquire(request(LockMode.EXCLUSIVE))))
			.isInstanceOf(LockNotAcquiredException.class);
		assertThat(lease.release()).isCompletedWithValue(null);
		assertTold(LockMode.EXCLUSIVE, LockEvent.Acquired.class, LockEvent.Busy.class, LockEvent.Released.class);
	}

	/** It was asked at every acquisition and release. */
	@ParameterizedTest
	@EnumSource
	void listenerThatDoesNotListenIsAskedOnce(LockMode mode) {
		AtomicInteger asked = new AtomicInteger();
		this.here.listening = () -> asked.incrementAndGet() < 0;
		this.here.acquire(request(mode)).join().close();
		this.here.acquire(request(mode)).join().close();
		assertThat(asked).hasValue(1);
		assertThat(this.here.events).isEmpty();
	}

	@Test
	void listenerThatBeginsToListenIsToldFromTheNextBusyLockOn() {
		assertToldFromThenOn((lease) -> {
			assertThat(this.here.acquire(request(LockMode.EXCLUSIVE))).isCompletedExceptionally();
			lease.close();
		}, LockEvent.Busy.class, LockEvent.Released.class);
	}

	@Test
	void listenerThatBeginsToListenIsToldFromAFailedReleaseOn() {
		assertToldFromThenOn((lease) -> {
			this.store.fail(Command.RELEASE, Kind.UNAVAILABLE);
			lease.close();
		}, LockEvent.ReleaseFailed.class);
	}

	@Test
	void listenerThatBeginsToListenIsToldFromAFailedRenewalOn() {
		this.store.fail(Command.RENEW, Kind.UNAVAILABLE);
		assertToldFromThenOn((lease) -> this.here.advance(Duration.ofSeconds(29)), LockEvent.RenewalFailed.class);
	}

	@Test
	void listenerThatBeginsToListenIsToldFromTheNextLossOn() {
		assertToldFromThenOn((lease) -> {
			this.here.engine.loseAll(LossReason.SHUTDOWN);
			this.here.advance(Duration.ofMillis(1));
		}, LockEvent.Lost.class);
	}

	/** Its answer to an earlier question comes last. */
	@Test
	void listenerThatBeginsToListenIsToldOfAllThatFollowsAnEvent() throws Exception {
		AtomicReference<Thread> asked = new AtomicReference<>();
		CompletableFuture<Void> answers = new CompletableFuture<>();
		this.here.listening = () -> {
			if (asked.compareAndSet(null, Thread.currentThread())) {
				answers.join();
				return false;
			}
			return true;
		};
		Thread early = ManualInstance.startUntilStuck(() -> this.here.acquire(LockRequest.of("early")).join());
		Lease elsewhere = this.here.another().acquire(request(LockMode.EXCLUSIVE)).join();
		assertThat(this.here.acquire(request(LockMode.EXCLUSIVE))).isCompletedExceptionally();
		answers.complete(null);
		early.join();
		this.here.acquire(LockRequest.of("late")).join();
		assertThat(this.here.events).extracting(Object::getClass)
			.containsExactly(LockEvent.Busy.class, LockEvent.Acquired.class);
		elsewhere.close();
	}

	/** Afterwards the listener is notified of acquisitions as well. */
	private void assertToldFromThenOn(Consumer<Lease> rare, Class<?>... types) {
		this.here.listening = () -> false;
		Lease lease = this.here.acquire(request(LockMode.EXCLUSIVE).ttl(Duration.ofSeconds(30))).join();
		this.here.listening = () -> true;
		this.here.acquire(LockRequest.of("other")).join().close();
		assertThat(this.here.events).isEmpty();
		rare.accept(lease);
		this.here.acquire(LockRequest.of("another")).join();
		assertThat(this.here.events).extracting(Object::getClass)
			.containsSequence(types)
			.last()
			.isEqualTo(LockEvent.Acquired.class);
		assertThat(this.here.events).first().isInstanceOf(types[0]);
	}

	private void assertTold(LockMode mode, Class<?>... types) {
		assertThat(this.here.events).extracting(LockEvent::mode).containsOnly(mode);
		assertThat(this.here.events).extracting(Object::getClass).doesNotHaveDuplicates().containsExactly(types);
	}

}
