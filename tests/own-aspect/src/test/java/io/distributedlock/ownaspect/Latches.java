package io.distributedlock.ownaspect;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.test.store.Patience;

/** Waits for latches in code that may not throw checked exceptions. */
final class Latches {

	private Latches() {
	}

	static void await(CountDownLatch latch) {
		try {
			if (!latch.await(Patience.CEILING.toMillis(), TimeUnit.MILLISECONDS)) {
				throw new IllegalStateException("The latch was not released");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
