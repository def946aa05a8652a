package io.distributedlock.observation;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.distributedlock.leader.LeaderElection;
import io.distributedlock.observation.LockMeter.Tag;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Binds {@link LockMeter#LEADER} of elections, one meter for each role. Values are
 * computed when they are scraped. Keep it for as long as the meters are to be there.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class LeaderMeters implements MeterBinder {

	private final Map<String, List<LeaderElection>> elections;

	/**
	 * Create a binder.
	 * @param elections the elections, of which several may have the same role
	 */
	public LeaderMeters(Collection<LeaderElection> elections) {
		this.elections = elections.stream().collect(Collectors.groupingBy(LeaderElection::role));
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.elections
			.forEach((role, candidates) -> Gauge.builder(LockMeter.LEADER.getName(), candidates, LeaderMeters::leaders)
				.description(LockMeter.LEADER.getDescription())
				.tag(Tag.ROLE.asString(), role)
				.register(registry));
	}

	private static double leaders(List<LeaderElection> candidates) {
		return candidates.stream().filter(LeaderElection::isLeader).count();
	}

}
