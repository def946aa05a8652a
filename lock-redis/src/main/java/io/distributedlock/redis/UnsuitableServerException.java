package io.distributedlock.redis;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Exception for a server that answers but cannot keep locks. It is a replica, a node of
 * an unknown cluster, a single server instead of a cluster or Sentinels, a Sentinel, or
 * no Redis. Or it lacks the database, a command or scripts, refuses the scripts of locks,
 * is built for 32 bits, is a proxy that scatters keys, or disagrees on TLS. No lock is
 * handed out there. The kind is {@code UNAVAILABLE} for a replica, which may become a
 * primary, unless it is a node of a quorum; else {@code MISCONFIGURED}.
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
	 * Return the exception if a failure shows such a server. There is none for a replica
	 * behind Sentinel, nor for a cluster that is down, since that may pass.
	 * @param setup the setup of the store
	 * @param alone host and port of the application's own Redis if it is a single server
	 * @param sentinels the number of Sentinels
	 * @param failure the failure of the driver
	 * @return the exception, or {@code null} for another cause
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
	 * The problem with the server.
	 * @return the rest of a sentence that begins with the server
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * Return whether the problem is certain. Otherwise a fail-over may be under way, or
	 * only one of several Sentinels has been asked.
	 * @return {@code true} if waiting does not help
	 */
	public boolean isDefinite() {
		return this.definite;
	}

	/**
	 * The remedy.
	 * @return a sentence without its full stop
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
