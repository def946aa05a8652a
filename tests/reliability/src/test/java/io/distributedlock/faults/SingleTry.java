package io.distributedlock.faults;

import java.util.Optional;
import java.util.function.Supplier;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.test.store.Patience;

/**
 * Tries that do not wait, on a busy machine, whose server may not answer in the time of a
 * command: whether the lock is busy is unknown then, and is asked again.
 */
final class SingleTry {

	private SingleTry() {
	}

	/** The answer of the server, which is that the lock is busy if there is no lease. */
	static Optional<Lease> of(LockRegistry registry, LockRequest request) {
		return answer(() -> registry.tryAcquire(request));
	}

	/** Return the result of the first try that is answered, on the thread that calls. */
	static <T> T answer(Supplier<T> attempt) {
		long end = System.nanoTime() + Patience.CEILING.toNanos();
		while (true) {
			try {
				return attempt.get();
			}
			catch (LockStoreException ex) {
				if (ex.getKind() != LockStoreException.Kind.UNAVAILABLE || System.nanoTime() > end) {
					throw ex;
				}
			}
		}
	}

}
