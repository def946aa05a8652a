package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.ScriptedStore.Held;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The delay after a loss that the holder notices before the store. */
class KeyQueueLockDelayTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final LockRequest REQUEST = LockRequest.of("k").ttl(TTL).lockDelay(Duration.ofMinutes(1));

	private static final LockRequest ONCE = LockRequest.of("k").waitFor(Duration.ZERO);

	private final ManualInstance instance = new ManualInstance();

	private final ManualInstance other = this.instance.another();

	/** The store has the lease for a hundredth longer, and took that for a release. */
	@Test
	void leaseThatIsClosedAtItsLossLeavesTheLockClosed() {
		Lease lease = this.instance.acquire(REQUEST.renew(false)).join();
		this.instance.advance(lease.remaining());
		assertThat(lease.isLost()).isTrue();
		lease.release();
		assertClosedFor(Duration.ofMinutes(1));
	}

	/** The store has the lease for as long as the renewal says. */
	@Test
	void leaseWhoseRenewalWasNotAnsweredLeavesTheLockClosed() {
		Lease lease = this.instance.acquire(REQUEST).join();
		this.instance.advance(Duration.ofSeconds(1));
		Held renewal = this.instance.store.hold(Command.RENEW);
		this.instance.advance(Duration.ofSeconds(9));
		renewal.apply();
		this.instance.store.silence(Command.RENEW);
		this.instance.advance(TTL.minusSeconds(5));
		assertThat(lease.isLost()).isTrue();
		lease.release();
		assertClosedFor(Duration.ofMinutes(1));
	}

	/** No code has run under it that could have sent anything. */
	@Test
	void leaseThatWasNeverUsedLeavesTheLockOpen() {
		Held attempt = this.instance.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> given = this.instance.acquire(REQUEST.renew(false));
		given.cancel(false);
		attempt.answer();
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(this.other.acquire(ONCE)).isCompleted();
	}

	private void assertClosedFor(Duration delay) {
		this.instance.advance(delay);
		assertThat(this.other.acquire(ONCE)).isCompletedExceptionally();
		this.instance.advance(TTL.multipliedBy(2));
		assertThat(this.other.acquire(ONCE)).isCompleted();
	}

}
