package io.distributedlock.benchmarks.comparison;

import org.redisson.api.RedissonClient;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * The libraries to compare, first those on Redis, then those on PostgreSQL. Of both the
 * floor comes first.
 */
enum Library {

	LETTUCE("raw Lettuce", RawCandidate::lettuce),

	JEDIS("raw Jedis", RawCandidate::jedis),

	OWN("this library", OwnCandidate::lettuce),

	OWN_LEASE("this library, `Lease`", OwnCandidate::leases),

	OWN_JEDIS("this library on Jedis", OwnCandidate::jedis),

	OWN_OBSERVED("this library, observed", OwnCandidate::observed),

	REDISSON("Redisson `RLock`", (place) -> RedissonCandidate.of(place, RedissonClient::getLock)),

	REDISSON_FENCED("Redisson `RFencedLock`", (place) -> RedissonCandidate.of(place, RedissonClient::getFencedLock)),

	REDISSON_SPIN("Redisson `RSpinLock`", (place) -> RedissonCandidate.of(place, RedissonClient::getSpinLock)),

	SPRING("Spring Integration, pub/sub", (place) -> SpringCandidate.of(place, RedisLockType.PUB_SUB_LOCK)),

	SPRING_SPIN("Spring Integration, spin", (place) -> SpringCandidate.of(place, RedisLockType.SPIN_LOCK)),

	LOCK4J("Lock4j", Lock4jCandidate::of),

	SHEDLOCK("ShedLock", ShedLockCandidate::of),

	SQL_RAW("raw JDBC", HeldConnectionsCandidate::table),

	SQL_OWN("this library", (place) -> OwnSqlCandidate.of(place, false)),

	SQL_OWN_DURABLE("this library, `durable`", (place) -> OwnSqlCandidate.of(place, true)),

	SQL_ADVISORY("advisory locks", HeldConnectionsCandidate::advisory),

	SQL_SPRING("Spring Integration, JDBC", SpringSqlCandidate::of),

	SQL_SHEDLOCK("ShedLock, JDBC", ShedLockSqlCandidate::of);

	private final String label;

	private final Opening opening;

	Library(String label, Opening opening) {
		this.label = label;
		this.opening = opening;
	}

	String label() {
		return this.label;
	}

	boolean isOnPostgres() {
		return compareTo(SQL_RAW) >= 0;
	}

	Candidate open(Place place) {
		try {
			return this.opening.open(place);
		}
		catch (Exception ex) {
			throw new IllegalStateException(this.label + " cannot be opened", ex);
		}
	}

	/** Return a key that no other library uses, of the same length for all libraries. */
	String key(String key) {
		return (char) ('a' + ordinal()) + ":" + key;
	}

	/** Return the reason why the library cannot wait for a lock; empty if it can. */
	String cannotWait() {
		return switch (this) {
			case LETTUCE, JEDIS, SQL_RAW -> "raw commands do not wait";
			case SHEDLOCK, SQL_SHEDLOCK -> "does not wait for a busy lock, it skips";
			default -> "";
		};
	}

	/**
	 * Return the reason why the library cannot renew many locks with a short lease; empty
	 * if it can.
	 */
	String cannotRenew() {
		return switch (this) {
			case LETTUCE, JEDIS -> "raw commands are not renewed";
			case LOCK4J -> "starts a new `java.util.Timer`, a thread, for each renewal of each lock";
			case SHEDLOCK -> "renews only with a `KeepAliveLockProvider`, which requires leases of 30 s or more";
			default -> "";
		};
	}

	/** Opens the locks of a library. */
	private interface Opening {

		Candidate open(Place place) throws Exception;

	}

}
