package io.distributedlock.modulith;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Called by the listeners of all instances. Closed at first, so that they fail. */
class Carrier {

	private final List<Long> orders = new CopyOnWriteArrayList<>();

	private final CountDownLatch delivery = new CountDownLatch(1);

	private volatile boolean open;

	void open() {
		this.open = true;
	}

	/** Let calls return. Until then they wait. */
	void deliver() {
		this.delivery.countDown();
	}

	void ship(long order) {
		if (!this.open) {
			throw new IllegalStateException("Closed");
		}
		this.orders.add(order);
		try {
			this.delivery.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** The orders of all calls that began while it was open. */
	List<Long> orders() {
		return this.orders;
	}

}
