package io.distributedlock.leader.event;

import io.distributedlock.leader.Leadership;

/**
 * This instance leads from now on. A listener that is called synchronously keeps
 * {@link LeadershipRevokedEvent} waiting.
 *
 * @since 0.1.0
 */
public final class LeadershipGrantedEvent extends LeadershipEvent {

	/**
	 * Create an event.
	 * @param leadership the leadership that was granted
	 */
	public LeadershipGrantedEvent(Leadership leadership) {
		super(leadership);
	}

}
