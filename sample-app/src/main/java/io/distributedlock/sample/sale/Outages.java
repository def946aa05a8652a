package io.distributedlock.sample.sale;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.LockStoreException;
import io.distributedlock.sample.id.IdsUnavailableException;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;

/**
 * Repeats a purchase for a while, as long as Redis cannot be reached. The purchase has
 * not begun then, so it cannot happen twice.
 */
final class Outages {

	private static final Duration LONGEST = Duration.ofSeconds(30);

	private static final Duration PAUSE = Duration.ofMillis(200);

	private Outages() {
	}

	static void outlast(Runnable purchase) {
		long end = System.nanoTime() + LONGEST.toNanos();
		while (true) {
			try {
				purchase.run();
				return;
			}
			catch (LockStoreException | IdsUnavailableException | RedisConnectionFailureException | RedisSystemException
					| QueryTimeoutException ex) {
				if (System.nanoTime() - end > 0) {
					throw ex;
				}
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE.toMillis()));
			}
		}
	}

}
