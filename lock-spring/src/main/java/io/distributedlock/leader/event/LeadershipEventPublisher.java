package io.distributedlock.leader.event;

import io.distributedlock.leader.LeaderListener;
import io.distributedlock.leader.Leadership;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes the leaderships of an election as {@link LeadershipEvent}s. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LeadershipEventPublisher implements LeaderListener {

	private final ApplicationEventPublisher publisher;

	/**
	 * Create a publisher.
	 * @param publisher publishes the events, such as the application context
	 */
	public LeadershipEventPublisher(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	@Override
	public void granted(Leadership leadership) {
		this.publisher.publishEvent(new LeadershipGrantedEvent(leadership));
	}

	@Override
	public void revoked(Leadership leadership) {
		this.publisher.publishEvent(new LeadershipRevokedEvent(leadership));
	}

}
