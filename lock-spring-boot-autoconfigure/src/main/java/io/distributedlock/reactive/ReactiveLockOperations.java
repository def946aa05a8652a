package io.distributedlock.reactive;

import java.util.function.Function;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Running reactive sequences under a lock, which is taken for each subscription.
 *
 * @since 0.1.0
 */
public interface ReactiveLockOperations {

	/**
	 * Put a sequence under a lock, with the configured options.
	 * @param key the key, not blank
	 * @param body what to subscribe to when the lock is held
	 * @param <T> the type of the result
	 * @return the guarded sequence, as {@link #execute(LockRequest, Function)} describes
	 */
	default <T> Mono<T> execute(String key, Mono<T> body) {
		return execute(LockRequest.of(key), (lease) -> body);
	}

	/**
	 * Put a sequence under a lock. Each subscription waits for the lock, without blocking
	 * a thread, then for the body, then for the release; cancelling one that waits leaves
	 * nothing behind. A subscription made inside the body enters the locks of the
	 * subscriptions around it again; it is the Reactor context that says so, no thread.
	 * <p>
	 * Fails as the body does, which always wins, or with {@link LockNotAcquiredException}
	 * if the lock stayed taken for the whole budget, {@link LockStoreException} if the
	 * store could not be asked, or {@link LockLostException} if the lease was lost: after
	 * the body, or at once, with the body cancelled, if the request asks to be
	 * interrupted.
	 * @param request what to lock and how
	 * @param action makes the body, for each subscription
	 * @param <T> the type of the result
	 * @return the guarded sequence; its value comes after the release
	 */
	<T> Mono<T> execute(LockRequest request, Function<? super Lease, ? extends Mono<T>> action);

	/**
	 * Put a sequence under a lock, with the configured options.
	 * @param key the key, not blank
	 * @param body what to subscribe to when the lock is held
	 * @param <T> the type of the elements
	 * @return the guarded sequence, as {@link #executeMany(LockRequest, Function)}
	 * describes
	 */
	default <T> Flux<T> executeMany(String key, Publisher<T> body) {
		return executeMany(LockRequest.of(key), (lease) -> body);
	}

	/**
	 * Put a sequence of many elements under a lock, as
	 * {@link #execute(LockRequest, Function)} does with one of at most one. The lock is
	 * kept for as long as the subscriber takes, so a slow one holds it long.
	 * @param request what to lock and how
	 * @param action makes the body, for each subscription
	 * @param <T> the type of the elements
	 * @return the guarded sequence; it completes after the release
	 */
	<T> Flux<T> executeMany(LockRequest request, Function<? super Lease, ? extends Publisher<T>> action);

}
