package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests of as many keys as one may have. While each key was asked for within the one
 * before it, the stack had too few frames: they never ended, and kept their locks.
 */
class AcquisitionManyKeysTests {

	private static final List<String> KEYS = IntStream.range(1, LockRequest.MAX_KEYS)
		.mapToObj((number) -> "k" + number)
		.toList();

	private final ManualInstance instance = new ManualInstance();

	@Test
	void futureOfManyKeysThatAreFreeCompletes() {
		CompletableFuture<Lease> all = this.instance.acquire(LockRequest.ofAll(KEYS));
		assertThat(all).isCompletedWithValueMatching(Lease::isHeld);
		all.join().close();
		assertNothingLeft();
	}

	@Test
	void futureOfManyKeysThatTheOwnerHasCompletes() {
		this.instance.store.takeTogether();
		Lease outer = this.instance.acquire(LockRequest.ofAll(KEYS).ownedBy("owner")).join();
		List<String> most = KEYS.subList(1, KEYS.size());
		CompletableFuture<Lease> inner = this.instance.acquire(LockRequest.ofAll(most).ownedBy("owner"));
		assertThat(inner).isCompletedWithValueMatching(Lease::isHeld);
		inner.join().close();
		outer.close();
		assertNothingLeft();
	}

	@Test
	void futureOfManyKeysOfWhichTheLastIsBusyKeepsNone() {
		Lease busy = this.instance.another().acquire(LockRequest.ofAll("last")).join();
		List<String> all = IntStream.rangeClosed(0, KEYS.size())
			.mapToObj((number) -> (number < KEYS.size()) ? KEYS.get(number) : "last")
			.toList();
		CompletableFuture<Lease> waiting = this.instance.acquire(LockRequest.ofAll(all).waitFor(Duration.ofSeconds(1)));
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(waiting).isCompletedExceptionally();
		busy.close();
		assertNothingLeft();
	}

	private void assertNothingLeft() {
		this.instance.advance(Duration.ofSeconds(1));
		assertThat(this.instance.engine.instance.heldCount()).isZero();
		assertThat(this.instance.engine.queues.index.size()).isZero();
		assertThat(KEYS).noneMatch(this.instance.store::isLocked);
	}

}
