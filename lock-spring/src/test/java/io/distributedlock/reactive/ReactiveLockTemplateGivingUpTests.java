package io.distributedlock.reactive;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/** The request to the registry when its subscription is cancelled. */
class ReactiveLockTemplateGivingUpTests {

	private final CompletableFuture<Lease> asked = new CompletableFuture<>();

	private final ReactiveLockTemplate template = new ReactiveLockTemplate(new LockRegistry() {

		@Override
		public LeaseLock getLock(String name, String key) {
			throw new UnsupportedOperationException(key);
		}

		@Override
		public Optional<Lease> tryAcquire(LockRequest request) {
			throw new UnsupportedOperationException(request.toString());
		}

		@Override
		public Lease acquire(LockRequest request) {
			throw new UnsupportedOperationException(request.toString());
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockRequest request) {
			return ReactiveLockTemplateGivingUpTests.this.asked;
		}

	});

	/** A place in the queue that its caller has left would keep the others waiting. */
	@Test
	void requestWhenItsSubscriptionIsCancelledEndsAtOnce() {
		Disposable waiting = this.template.execute("k", Mono.empty()).subscribe();
		assertThat(this.asked).isNotDone();
		waiting.dispose();
		assertThat(this.asked).isCancelled();
	}

}
