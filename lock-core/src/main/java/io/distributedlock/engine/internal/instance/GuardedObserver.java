package io.distributedlock.engine.internal.instance;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.event.LockObserver;
import org.jspecify.annotations.Nullable;

/**
 * An observer of the application that cannot cost a caller its lock: if it throws, the
 * call is not observed. Its 1st, 10th, 100th (and so on) failure is logged, since an
 * observer that always throws would fill the log. Thread-safe.
 */
public final class GuardedObserver {

	private final LockObserver observer;

	private final AtomicLong failures = new AtomicLong();

	public GuardedObserver(LockObserver observer) {
		this.observer = observer;
	}

	/** Begin to observe a call; return {@code null} if it is not observed. */
	public LockObserver.@Nullable Wait begin(String name, List<String> keys, LockTerms terms) {
		try {
			return this.observer.isObserving() ? this.observer.waiting(name, keys, terms.mode) : null;
		}
		catch (Throwable ex) {
			log(ex);
			return null;
		}
	}

	/** Call the observer. An exception is logged. */
	public void quietly(Runnable call) {
		try {
			call.run();
		}
		catch (Throwable ex) {
			log(ex);
		}
	}

	private void log(Throwable failure) {
		long count = this.failures.incrementAndGet();
		if (isPowerOfTen(count)) {
			Callbacks.log((count == 1) ? "An observer of locks failed"
					: "An observer of locks failed, %,d times so far".formatted(count), failure);
		}
	}

	private static boolean isPowerOfTen(long count) {
		long left = count;
		while (left % 10 == 0) {
			left /= 10;
		}
		return left == 1;
	}

}
