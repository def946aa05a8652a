package io.distributedlock.actuate;

import java.time.Clock;
import java.util.Collection;

import io.distributedlock.leader.LeaderElection;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * The roles of this instance, at {@code info.leader.<role>}: {@code leader}, and for a
 * leader {@code since} and {@code fencingToken}. Costs no command. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LeaderInfoContributor implements InfoContributor {

	private final LeaderReport report;

	/**
	 * Create a contributor.
	 * @param elections the elections of this instance
	 * @param clock the clock of this machine
	 */
	public LeaderInfoContributor(Collection<LeaderElection> elections, Clock clock) {
		this.report = new LeaderReport(elections, clock);
	}

	@Override
	public void contribute(Info.Builder builder) {
		builder.withDetail("leader", this.report.roles());
	}

}
