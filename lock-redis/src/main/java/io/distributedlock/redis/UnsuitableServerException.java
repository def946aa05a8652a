package io.distributedlock.redis;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * A server answers, and is none that keeps locks: a replica, a node of a cluster that is
 * not known as one, a single server where a cluster or Sentinels are expected, a
 * Sentinel, no Redis at all, one without the database that is asked for, or a build for
 * 32 bits. No lock is handed out there. Of the kind {@code UNAVAILABLE} where that may
 * pass, as after a fail-over, else {@code MISCONFIGURED}.
 *
 * @since 0.1.0
 */
public final class UnsuitableServerException extends LockStoreException {

	private final String problem;

	private final String remedy;

	private final boolean definite;

	private UnsuitableServerException(Kind kind, String server, boolean definite, String problem, String remedy,
			Throwable cause) {
		super(kind, "%s %s: %s (%s)".formatted(server, problem, remedy, Unsuitability.saidIn(cause)), cause);
		this.problem = problem;
		this.remedy = remedy;
		this.definite = definite;
	}

	/**
	 * Recognize one. A fail-over goes on, and a cluster may be about to heal; the rest
	 * stays as it is.
	 * @param setup what the store was made for
	 * @param alone where the application's own Redis is, if it is a single server
	 * @param sentinels how many Sentinels there are
	 * @param failure what the driver said
	 * @return nothing if it is something else
	 */
	static @Nullable UnsuitableServerException of(RedisSetup setup, String alone, int sentinels, Throwable failure) {
		Unsuitability found = Unsuitability.of(failure);
		NodeIdentity node = setup.node();
		if (found == null) {
			return null;
		}
		boolean isReplica = found == Unsuitability.REPLICA;
		if (node != null) {
			String problem = (isReplica && node.primary() != null)
					? "is a replica of %s, which grants no locks".formatted(node.primary()) : found.problem;
			return new UnsuitableServerException(Kind.MISCONFIGURED, node.toString(), true, problem, found.ofNode,
					failure);
		}
		if (!found.isLasting() && (alone.isEmpty() || RedisFailures.isClusterDown(failure))) {
			return null;
		}
		String problem = isReplica ? "answered that it is a read-only replica" : (found == Unsuitability.CLUSTER)
				? "is a node of a Redis Cluster, and not all of its locks are there" : found.problem;
		return new UnsuitableServerException(isReplica ? Kind.UNAVAILABLE : Kind.MISCONFIGURED,
				"Redis at " + (setup.server().isEmpty() ? alone : setup.server()),
				!isReplica && !(sentinels > 1 && found.isOfOneSentinel()), problem, found.ofApplication, failure);
	}

	/**
	 * What is wrong with the server.
	 * @return the rest of a sentence that begins with the server
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * Whether nothing else can be the case. Otherwise a fail-over may be going on, or
	 * only one of several Sentinels has been asked.
	 * @return whether it is worth no waiting
	 */
	public boolean isDefinite() {
		return this.definite;
	}

	/**
	 * How to repair it.
	 * @return a sentence without its full stop
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
