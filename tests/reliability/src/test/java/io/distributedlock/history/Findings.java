package io.distributedlock.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/** The findings of the rules so far. */
final class Findings {

	private static final int LISTED = 1000;

	private final Map<RuleName, Long> counts = new EnumMap<>(RuleName.class);

	private final List<Violation> violations = new ArrayList<>();

	private final Map<NemesisKind, Long> faults = new EnumMap<>(NemesisKind.class);

	private long events;

	private long acquisitions;

	private long renewals;

	private long lossesTold;

	private long worstWait;

	private long worstGap;

	long silentLosses;

	long falseLosses;

	long doubleBeliefs;

	long lostUpdates;

	void violation(RuleName rule, String key, String sentence, Event... events) {
		this.counts.merge(rule, 1L, Long::sum);
		if (this.violations.size() < LISTED) {
			this.violations.add(new Violation(rule, key, List.of(events), sentence));
		}
	}

	void count(Event event) {
		this.events++;
		if (event.is(Op.NEMESIS, Phase.INVOKE)) {
			this.faults.merge(NemesisKind.valueOf(event.outcome()), 1L, Long::sum);
		}
		else if (event.is(Op.RENEW, Phase.OK)) {
			this.renewals++;
		}
		else if (event.op() == Op.LOST) {
			this.lossesTold++;
		}
	}

	void acquired(HeldLease lease) {
		this.acquisitions++;
		this.worstWait = Math.max(this.worstWait, lease.acquired.t() - lease.invoked.t());
	}

	void gap(long nanos) {
		this.worstGap = Math.max(this.worstGap, nanos);
	}

	Report report() {
		return new Report(this.counts, this.violations, this.events, this.acquisitions, this.renewals, this.faults,
				this.lossesTold, this.silentLosses, this.falseLosses, this.doubleBeliefs, this.lostUpdates,
				Duration.ofNanos(this.worstWait), Duration.ofNanos(this.worstGap));
	}

}
