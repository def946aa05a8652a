package io.distributedlock.faults;

import java.time.Duration;
import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.chaos.ProcessImage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * A machine that was cloned without any hook while a lock was held, on a real Redis: the
 * lock was confirmed to both processes, with one token, for as long as they renewed it.
 */
class HeldTwinIntegrationTests extends InstancesOnServer {

	private static final Duration TTL = Duration.ofMillis(4500);

	private static final LockRequest REQUEST = LockRequest.of("order:42").ttl(TTL).waitFor(Duration.ofSeconds(60));

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	void lockThatWasHeldWhenAMachineWasClonedIsKeptByOneProcess(LockMode mode) {
		List<Lease> both = heldByBoth(REQUEST.mode(mode));
		await().until(() -> both.stream().anyMatch(Lease::isLost));
		Lease lost = both.stream().filter(Lease::isLost).findFirst().orElseThrow();
		Lease kept = both.stream().filter((lease) -> lease != lost).findFirst().orElseThrow();
		assertThatThrownBy(lost::close).isInstanceOfSatisfying(LockLostException.class,
				(ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.NOT_OWNER));
		Renewal.awaitNext(kept);
		assertThat(kept.isHeld()).isTrue();
		assertThat(this.redis.instance().acquireAsync(REQUEST.waitFor(Duration.ZERO)).toCompletableFuture())
			.as("another process")
			.failsWithin(Duration.ofSeconds(5));
		kept.close();
		this.redis.instance().acquire(REQUEST).close();
	}

	/** The leases of two processes from an image of the holder. */
	private List<Lease> heldByBoth(LockRequest request) {
		ProcessImage image = new ProcessImage(this.here);
		ProcessImage restored = new ProcessImage(this.there);
		restored.restore(image.take());
		image.draw(42);
		restored.draw(42);
		List<Lease> both = List.of(this.here.acquire(request), this.there.acquire(request));
		assertThat(both.get(0).fencingToken()).isEqualTo(both.get(1).fencingToken());
		return both;
	}

}
