package io.distributedlock.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.TemplateLease;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The way of one subscription to its lease. It exists before the lock is asked for, so
 * whatever ends the subscription finds it, and whenever: of the end and the request the
 * second sees the first, and a lease that arrives after the end is released.
 */
final class Acquisition {

	private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);

	private volatile boolean ended;

	private volatile @Nullable CompletionStage<Lease> stage;

	/**
	 * Ask for the lock. Called once.
	 * @param registry where the lock comes from
	 * @param request what to lock
	 * @return the lease, on whatever thread brings it
	 */
	Mono<Lease> start(LockRegistry registry, LockRequest request) {
		return Mono.create((sink) -> {
			CompletionStage<Lease> asked = registry.acquireAsync(request);
			this.stage = asked;
			if (this.ended) {
				end(false);
				return;
			}
			asked.whenComplete((lease, failure) -> {
				if (lease != null) {
					sink.success(lease);
				}
				else if (!this.ended) {
					sink.error(cause(failure));
				}
			});
		});
	}

	private static Throwable cause(@Nullable Throwable failure) {
		if (failure == null) {
			return new IllegalStateException("The registry gave neither a lease nor a reason");
		}
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * Abandon the request, or give back the lease that it has brought or still brings.
	 * @param used whether anything has run under the lease
	 * @return completes when nothing is left; exceptionally if the lease was lost
	 */
	CompletionStage<Void> end(boolean used) {
		this.ended = true;
		CompletionStage<Lease> asked = this.stage;
		if (asked == null) {
			return DONE;
		}
		asked.toCompletableFuture().cancel(false);
		return asked.<@Nullable Lease>handle((lease, failure) -> lease)
			.thenCompose((lease) -> (lease != null) ? giveBack(lease, used) : DONE);
	}

	private static CompletionStage<Void> giveBack(Lease lease, boolean used) {
		return (!used && lease instanceof TemplateLease unused) ? unused.discard() : lease.release();
	}

}
