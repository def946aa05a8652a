package io.distributedlock.benchmarks.comparison;

import java.time.Duration;

/**
 * Where a candidate keeps its locks, and for how long.
 *
 * @param host of the server
 * @param port of the server
 * @param lease how long a lock is kept without renewal
 * @param renewed whether leases are renewed where that is a choice
 */
record Place(String host, int port, Duration lease, boolean renewed) {

	/** The default lease of most libraries. */
	static final Duration LEASE = Duration.ofSeconds(30);

	static Place of(String host, int port) {
		return new Place(host, port, LEASE, false);
	}

	/** The same with leases that are renewed. */
	Place renewed(Duration shortLease) {
		return new Place(this.host, this.port, shortLease, true);
	}

}
