package io.distributedlock.sample.shop;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/**
 * Keeps an item from being sold for a while. Shows a lease that no thread owns: one HTTP
 * request takes it, another releases it. A forgotten closure ends by itself.
 */
@Service
@Profile("!instance")
class ClosureService {

	private static final Duration LONGEST = Duration.ofMinutes(5);

	private final LockRegistry locks;

	private final Map<String, Lease> closed = new ConcurrentHashMap<>();

	ClosureService(LockRegistry locks) {
		this.locks = locks;
	}

	void close(String item) {
		LockRequest request = LockRequest.of(StockService.LOCK, item).maxHold(LONGEST);
		Lease expired = this.closed.put(item, this.locks.acquire(request));
		if (expired != null) {
			// It was lost, else the new one would have been busy. The loss concerns no
			// caller.
			expired.release();
		}
	}

	/**
	 * Let the item be sold again.
	 * @throws ClosureLostException if the lock was lost, so that it could be sold before
	 */
	void open(String item) {
		Lease lease = this.closed.remove(item);
		if (lease == null) {
			throw new UnknownException("'" + item + "' was not closed here");
		}
		try {
			lease.close();
		}
		catch (LockLostException ex) {
			throw new ClosureLostException(item, ex);
		}
	}

}
