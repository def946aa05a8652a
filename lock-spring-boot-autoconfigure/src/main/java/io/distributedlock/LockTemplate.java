package io.distributedlock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Runs code under locks of a {@link LockRegistry}. Thread-safe.
 *
 * @since 0.1.0
 */
public class LockTemplate implements LockOperations {

	private final LockRegistry registry;

	/**
	 * Create a template.
	 * @param registry where the locks come from
	 */
	public LockTemplate(LockRegistry registry) {
		this.registry = registry;
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCallback<T, E> action)
			throws E {
		LockRequest owned = (request.owner() != null) ? request : request.ownedByCurrentThread();
		try (Lease lease = this.registry.acquire(owned); CurrentLease current = CurrentLease.enter(lease)) {
			return action.doWithLock(lease);
		}
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> CompletableFuture<T> executeAsync(LockRequest request,
			LockedCallback<? extends CompletionStage<T>, E> action) throws E {
		throw new UnsupportedOperationException();
	}

}
