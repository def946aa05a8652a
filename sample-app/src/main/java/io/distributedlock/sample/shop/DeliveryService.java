package io.distributedlock.sample.shop;

import java.time.Duration;

import io.distributedlock.LeaseLock;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistry;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/**
 * Takes deliveries in, one at a time for each item. Shows a lock by hand: a
 * {@link java.util.concurrent.locks.Lock} from the registry.
 */
@Service
@Profile("!instance")
class DeliveryService {

	private static final Duration WAIT = Duration.ofSeconds(5);

	private final LockRegistry locks;

	private final StockService stock;

	DeliveryService(LockRegistry locks, StockService stock) {
		this.locks = locks;
		this.stock = stock;
	}

	Stock receive(String item, int quantity) throws InterruptedException {
		LeaseLock dock = this.locks.getLock("dock:" + item);
		if (!dock.tryLock(WAIT)) {
			throw new LockNotAcquiredException(dock.key(), null, WAIT);
		}
		try {
			return this.stock.add(item, quantity);
		}
		finally {
			dock.unlock();
		}
	}

}
