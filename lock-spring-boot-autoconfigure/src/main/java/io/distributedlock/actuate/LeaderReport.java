package io.distributedlock.actuate;

import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.distributedlock.leader.LeaderElection;

/** The roles for which this instance is a candidate, and those that it leads. */
final class LeaderReport {

	private final List<LeaderElection> elections;

	private final Clock clock;

	LeaderReport(Collection<LeaderElection> elections, Clock clock) {
		this.elections = List.copyOf(elections);
		this.clock = clock;
	}

	/** Return the details of each role. Of several elections for a role, one may lead. */
	Map<String, Object> roles() {
		Map<String, Object> roles = new TreeMap<>();
		for (LeaderElection election : this.elections) {
			Map<String, Object> details = details(election);
			if (details.containsKey("since")) {
				roles.put(election.role(), details);
			}
			else {
				roles.putIfAbsent(election.role(), details);
			}
		}
		return roles;
	}

	private Map<String, Object> details(LeaderElection election) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("leader", false);
		election.leadership().ifPresent((leadership) -> {
			details.put("leader", true);
			details.put("since", this.clock.instant().minus(leadership.age()).truncatedTo(ChronoUnit.SECONDS));
			details.put("fencingToken", leadership.fencingToken());
		});
		return details;
	}

}
