package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.event.LockEvent;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;

/** A turn of an instance, at whose end nothing may be left. */
abstract class HandOffTurn {

	static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ofHours(1));

	ManualInstance here = new ManualInstance();

	final List<CompletableFuture<Lease>> line = new ArrayList<>();

	Lease turn(LockRequest request, int callers) {
		Lease first = this.here.acquire(request).join();
		for (int i = 0; i < callers; i++) {
			this.line.add(this.here.acquire(request));
		}
		first.close();
		return at(0);
	}

	Lease at(int place) {
		assertThat(this.line.get(place)).as("place %d", place).isCompleted();
		return this.line.get(place).join();
	}

	@AfterEach
	void leavesNothing() {
		for (CompletableFuture<Lease> each : this.line) {
			each.cancel(false);
			if (!each.isCompletedExceptionally()) {
				each.join().release();
			}
		}
		this.here.store.heal();
		this.here.advance(Duration.ofMinutes(3));
		assertThat(this.here.engine.queues.index.size()).as("queues").isZero();
		assertThat(this.here.engine.instance.heldCount()).as("held").isZero();
		assertThat(this.here.engine.instance.backgroundCount()).as("background").isZero();
		assertThat(this.here.engine.instance.timers.size()).as("timers").isZero();
	}

	List<LockEvent.Lost> losses() {
		return this.here.events.stream()
			.filter(LockEvent.Lost.class::isInstance)
			.map(LockEvent.Lost.class::cast)
			.toList();
	}

}
