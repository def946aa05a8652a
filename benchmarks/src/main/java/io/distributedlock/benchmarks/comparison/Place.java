package io.distributedlock.benchmarks.comparison;

import java.time.Duration;

/**
 * The servers of a candidate, and the lease of its locks.
 *
 * @param host the host of Redis
 * @param port the port of Redis
 * @param database the JDBC address of PostgreSQL; empty if it does not run
 * @param lease the lease of a lock without renewal
 * @param renewed {@code true} to renew leases if the library leaves that choice
 */
record Place(String host, int port, String database, Duration lease, boolean renewed) {

	/** The default lease of most libraries. */
	static final Duration LEASE = Duration.ofSeconds(30);

	static Place of(String host, int port, String database) {
		return new Place(host, port, database, LEASE, false);
	}

	/** Return the same servers with a short lease that is renewed. */
	Place renewed(Duration shortLease) {
		return new Place(this.host, this.port, this.database, shortLease, true);
	}

}
