package io.distributedlock.leader.event;

import io.distributedlock.leader.Leadership;

/**
 * A leadership of this instance has ended. The next leader is elected after the listeners
 * that are called synchronously, or after the
 * {@linkplain io.distributedlock.leader.LeaderOptions#listenerGrace() grace period}.
 *
 * @since 0.1.0
 */
public final class LeadershipRevokedEvent extends LeadershipEvent {

	/**
	 * Create an event.
	 * @param leadership the leadership that has ended
	 */
	public LeadershipRevokedEvent(Leadership leadership) {
		super(leadership);
	}

}
