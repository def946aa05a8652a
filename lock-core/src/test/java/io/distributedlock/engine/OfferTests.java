package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.LockKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** On a store that offers only exclusive locks, one by one and without wake-ups. */
class OfferTests {

	private static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ofHours(1));

	private final ManualInstance instance = ManualInstance.offering();

	private final ScriptedStore store = this.instance.store;

	@Test
	void modeThatIsNotOfferedIsRefusedBeforeAnythingIsSent() {
		CompletableFuture<Lease> refused = this.instance.acquire(REQUEST.mode(LockMode.FAIR));
		assertThat(refused).isCompletedExceptionally();
		assertThat(refused.<Throwable>handle((lease, ex) -> ex).join())
			.isInstanceOfSatisfying(LockStoreException.class,
					(ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED))
			.hasMessage("Cannot acquire 'k' in mode FAIR: %s offers only locks of mode EXCLUSIVE. "
				.formatted(ScriptedStore.class.getName()) + "Use one of these modes, or another store");
		assertThat(this.store.sent(Command.ACQUIRE)).isZero();
	}

	@Test
	void keysAreTakenOneByOne() {
		this.store.takeTogether();
		assertThat(this.instance.acquire(LockRequest.ofAll("a", "b"))).isCompleted();
		assertThat(this.store.asked()).extracting(AcquireCommand::keys)
			.containsExactly(List.of(new LockKey("", "a")), List.of(new LockKey("", "b")));
	}

	/**
	 * A waiter slept for the whole poll interval though the lock was held for a moment.
	 */
	@Test
	void waiterAsksAgainSoonAndThenLessAndLessOften() {
		ManualInstance holder = this.instance.another();
		Lease held = holder.acquire(REQUEST).join();
		CompletableFuture<Lease> waiting = this.instance.acquire(REQUEST);
		int asked = this.store.sent(Command.ACQUIRE);
		for (int pause : List.of(25, 50, 100, 200, 400, 800, 1000, 1000)) {
			this.instance.advance(Duration.ofMillis(pause - 1));
			assertThat(this.store.sent(Command.ACQUIRE)).as("before %d ms", pause).isEqualTo(asked);
			this.instance.advance(Duration.ofMillis(1));
			assertThat(this.store.sent(Command.ACQUIRE)).as("after %d ms", pause).isEqualTo(++asked);
		}
		held.close();
		this.instance.advance(EngineSettings.DEFAULTS.pollInterval());
		assertThat(waiting).isCompleted();
	}

}
