package io.distributedlock.history;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The verdict on a history. Without acquisitions it means nothing.
 *
 * @param counts how often each rule was violated
 * @param violations the first of them
 * @param events how many events were read
 * @param acquisitions how many leases were got
 * @param renewals how many renewals were confirmed
 * @param faults how many faults of each kind there were
 * @param lossesTold how many holders were told of a loss
 * @param silentLosses how many certain losses a holder was never told of
 * @param falseLosses how many holders were told of a loss that cannot have been
 * @param doubleBeliefs how often two believed because the store had forgotten the first
 * @param lostUpdates how many updates of the unfenced registers were lost
 * @param worstWait the longest time from a request to its lease
 * @param worstGap the longest time that a lock was free while a request waited
 */
public record Report(Map<RuleName, Long> counts, List<Violation> violations, long events, long acquisitions,
		long renewals, Map<NemesisKind, Long> faults, long lossesTold, long silentLosses, long falseLosses,
		long doubleBeliefs, long lostUpdates, Duration worstWait, Duration worstGap) {

	/**
	 * All violations, also those that are not listed.
	 * @return how many
	 */
	public long violationCount() {
		return this.counts.values().stream().mapToLong(Long::longValue).sum();
	}

	@Override
	public String toString() {
		return """
				events %d, acquisitions %d, renewals %d, faults %s
				losses told %d, silent losses %d, false losses %d, double beliefs after a loss %d, unfenced updates lost %d
				worst wait %s, worst gap %s
				violations %s
				%s"""
			.formatted(this.events, this.acquisitions, this.renewals, this.faults, this.lossesTold, this.silentLosses,
					this.falseLosses, this.doubleBeliefs, this.lostUpdates, this.worstWait, this.worstGap, this.counts,
					this.violations.stream().map(Violation::toString).collect(Collectors.joining("\n")));
	}

}
