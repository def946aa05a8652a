package io.distributedlock.modulith;

import org.springframework.modulith.events.ApplicationModuleListener;

/** Listens, on a thread and in a transaction of its own. */
class Shipping {

	private final Carrier carrier;

	Shipping(Carrier carrier) {
		this.carrier = carrier;
	}

	@ApplicationModuleListener
	public void ship(OrderPlaced event) {
		this.carrier.ship(event.order());
	}

}
