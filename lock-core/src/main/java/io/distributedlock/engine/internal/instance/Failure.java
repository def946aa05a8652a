package io.distributedlock.engine.internal.instance;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.distributedlock.LockException;
import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a waiter got no lease. The exception is made where it is thrown, so that
 * its stack trace is that of the caller.
 */
@FunctionalInterface
public interface Failure extends Supplier<RuntimeException> {

	/** An unexpected failure, such as an owner that cannot be compared. */
	static Failure of(Throwable ex) {
		return () -> (ex instanceof RuntimeException known) ? known
				: new IllegalStateException("A lock could not be asked for: " + ex, ex);
	}

	/** The store answered late, wrongly or not at all. */
	static LockStoreException ofStore(LockStore store, String what, List<LockKey> keys, @Nullable Throwable ex) {
		Throwable cause = unwrapped(ex);
		if (cause instanceof LockStoreException failure) {
			return failure;
		}
		boolean late = cause == null || isLate(cause);
		return new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "Cannot %s lock '%s': %s".formatted(what,
				LockKeys.describe(keys), late ? "no answer in time" + from(store, keys) : cause), cause);
	}

	/** Return a failure without the exception that a future has put around it. */
	static @Nullable Throwable unwrapped(@Nullable Throwable ex) {
		return (ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex;
	}

	/** Return whether there was no answer in time. */
	static boolean isLate(Throwable ex) {
		Throwable cause = unwrapped(ex);
		return cause instanceof CancellationException || cause instanceof TimeoutException;
	}

	/** The calling thread would wait for an answer that comes on this thread. */
	static LockException answeredHere(String what, List<LockKey> keys) {
		return new LockException(
				("Cannot %s lock '%s' on thread '%s', on which answers of the store come: it would wait "
						+ "for itself. Call it on another thread, as by publishOn, use acquireAsync, extendAsync or a reactive "
						+ "result, or give the locks connections of their own (distributed-lock.redis.connection=own)")
					.formatted(what, LockKeys.describe(keys), Thread.currentThread().getName()));
	}

	/** The store has not answered an attempt at all. */
	static LockStoreException silence(LockStore store, List<LockKey> keys, long nanos) {
		return new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
				"Cannot acquire lock '%s': no answer within %d ms%s. Is the store reachable?"
					.formatted(LockKeys.describe(keys), nanos / 1_000_000, from(store, keys)),
				null);
	}

	/** The budget of a waiter was used up, and the last answer was a failure or none. */
	static LockStoreException noUsableAnswer(LockStore store, List<LockKey> keys, Duration waited,
			@Nullable LockStoreException cause) {
		String what = "The store gave no usable answer for lock '%s' within %d ms".formatted(LockKeys.describe(keys),
				waited.toMillis());
		if (cause != null) {
			return ofStore(cause, what + ": " + cause.getMessage(), cause);
		}
		String from = from(store, keys);
		return new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
				what + (from.isEmpty() ? "" : ": nothing" + from) + ". Is it reachable?", null);
	}

	private static String from(LockStore store, List<LockKey> keys) {
		String place = store.place(keys.get(0));
		return place.isEmpty() ? "" : " from " + place;
	}

	/** The same failure with the stack trace of the caller that gets it. */
	static LockStoreException ofStore(LockStoreException failure) {
		Throwable cause = failure.getCause();
		return ofStore(failure, String.valueOf(failure.getMessage()), (cause != null) ? cause : failure);
	}

	/** A failure of the same type with another message. */
	static LockStoreException ofStore(LockStoreException failure, String message, Throwable cause) {
		return (failure instanceof ReplicasNotAcknowledgedException missing)
				? new ReplicasNotAcknowledgedException(missing.getWanted(), missing.getAcknowledged(), message, cause)
				: new LockStoreException(failure.getKind(), message, cause);
	}

}
