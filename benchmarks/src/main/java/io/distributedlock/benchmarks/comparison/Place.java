package io.distributedlock.benchmarks.comparison;

import java.time.Duration;

/**
 * The server of a candidate, and the lease of its locks.
 *
 * @param host the host of the server
 * @param port the port of the server
 * @param lease the lease of a lock without renewal
 * @param renewed {@code true} to renew leases if the library leaves that choice
 */
record Place(String host, int port, Duration lease, boolean renewed) {

	/** The default lease of most libraries. */
	static final Duration LEASE = Duration.ofSeconds(30);

	static Place of(String host, int port) {
		return new Place(host, port, LEASE, false);
	}

	/** Return the same server with a short lease that is renewed. */
	Place renewed(Duration shortLease) {
		return new Place(this.host, this.port, shortLease, true);
	}

}
