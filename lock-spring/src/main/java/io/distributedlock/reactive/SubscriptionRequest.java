package io.distributedlock.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.TemplateLease;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The request of one subscription, and its lease. It exists before the request is sent.
 * If the subscription ends at that moment, the later of the two sees the other, and a
 * lease that arrives after the end is released.
 */
final class SubscriptionRequest {

	private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);

	private volatile boolean ended;

	private volatile @Nullable CompletionStage<Lease> stage;

	private volatile @Nullable Lease lease;

	/** Request the lock, once. The lease arrives on any thread. */
	Mono<Lease> start(LockRegistry registry, LockRequest request) {
		return Mono.deferContextual((context) -> Mono.<Lease>fromFuture(() -> {
			CompletionStage<Lease> requested = TemplateLease.required(ParentObservation.IS_POSSIBLE
					? ParentObservation.around(context, () -> registry.acquireAsync(request))
					: registry.acquireAsync(request), request);
			this.stage = requested;
			if (this.ended) {
				end(false);
			}
			return requested.toCompletableFuture();
		}, true).switchIfEmpty(Mono.fromSupplier(() -> TemplateLease.required(null, request))))
			.doOnNext((acquired) -> this.lease = acquired);
	}

	/** The lease once the subscription has it, also after its end. */
	@Nullable Lease lease() {
		return this.lease;
	}

	/**
	 * Abandon the request, or release its lease, also one that is yet to arrive. Fails if
	 * the lease was lost.
	 */
	CompletionStage<Void> end(boolean used) {
		this.ended = true;
		CompletionStage<Lease> requested = this.stage;
		if (requested == null) {
			return DONE;
		}
		requested.toCompletableFuture().cancel(false);
		return requested.<@Nullable Lease>handle((acquired, failure) -> acquired)
			.thenCompose((acquired) -> (acquired != null) ? giveBack(acquired, used) : DONE);
	}

	private static CompletionStage<Void> giveBack(Lease lease, boolean used) {
		return (!used && lease instanceof TemplateLease unused) ? unused.discard() : lease.release();
	}

}
