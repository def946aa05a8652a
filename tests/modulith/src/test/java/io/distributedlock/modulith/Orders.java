package io.distributedlock.modulith;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.transaction.annotation.Transactional;

/** Publishes events. */
class Orders {

	private final ApplicationEventPublisher events;

	Orders(ApplicationEventPublisher events) {
		this.events = events;
	}

	@Transactional
	public void place(long order) {
		this.events.publishEvent(new OrderPlaced(order));
	}

}
