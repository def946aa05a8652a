package io.distributedlock.leader.event;

import io.distributedlock.leader.Leadership;

import org.springframework.context.ApplicationEvent;

/**
 * The beginning or the end of a leadership of this instance. For each election the events
 * come in order, one after the other; those of different elections may overlap.
 *
 * @since 0.1.0
 */
public abstract sealed class LeadershipEvent extends ApplicationEvent
		permits LeadershipGrantedEvent, LeadershipRevokedEvent {

	private final transient Leadership leadership;

	LeadershipEvent(Leadership leadership) {
		super(leadership);
		this.leadership = leadership;
	}

	/**
	 * The role, as for {@code @EventListener(condition = "event.role == 'invoices'")}.
	 * @return the role
	 */
	public String getRole() {
		return this.leadership.role();
	}

	/**
	 * The leadership, with its fencing token.
	 * @return the leadership
	 */
	public Leadership getLeadership() {
		return this.leadership;
	}

	@Override
	public String toString() {
		return getClass().getSimpleName() + "[" + this.leadership + "]";
	}

}
