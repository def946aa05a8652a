package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The event of an acquisition says where the lock came from. */
class AcquiredFromTests {

	private static final LockRequest REQUEST = LockRequest.of("a").waitFor(Duration.ofSeconds(60));

	private final ManualInstance here = new ManualInstance();

	private final ManualInstance there = this.here.another();

	@Test
	void freeLockComesFromTheStore() {
		this.here.acquire(REQUEST).join();
		assertComesFrom(AcquiredFrom.STORE);
	}

	@Test
	void lockThatIsFoundFreeByAnAttemptComesFromTheStore() {
		Lease held = this.there.acquire(REQUEST).join();
		this.here.acquire(REQUEST);
		this.here.store.deafen();
		held.close();
		this.here.advance(Duration.ofSeconds(3));
		assertComesFrom(AcquiredFrom.STORE);
	}

	@Test
	void lockThatAReleaseGaveComesFromTheOtherInstance() {
		Lease held = this.there.acquire(REQUEST).join();
		this.here.acquire(REQUEST);
		held.close();
		assertThat(this.here.store.sent(Command.ACQUIRE)).isOne();
		assertComesFrom(AcquiredFrom.OTHER_INSTANCE);
	}

	/** Two callers wait, so an attempt reserves their tokens; the next is handed on. */
	@Test
	void lockThatWasGivenAndIsConfirmedComesFromTheOtherInstance() {
		Lease held = this.there.acquire(REQUEST).join();
		CompletableFuture<Lease> first = this.here.acquire(REQUEST);
		this.here.acquire(REQUEST);
		held.close();
		assertThat(this.here.store.sent(Command.ACQUIRE)).isEqualTo(2);
		first.join().close();
		assertComesFrom(AcquiredFrom.OTHER_INSTANCE, AcquiredFrom.THIS_INSTANCE);
	}

	private void assertComesFrom(AcquiredFrom... from) {
		assertThat(this.here.events).filteredOn(LockEvent.Acquired.class::isInstance)
			.extracting((event) -> ((LockEvent.Acquired) event).from())
			.containsExactly(from);
	}

}
