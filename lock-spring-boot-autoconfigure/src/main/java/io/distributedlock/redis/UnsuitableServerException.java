package io.distributedlock.redis;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * A server answers, and is none that keeps locks: a replica, a node of a cluster that is
 * not known as one, a Sentinel, or without the database that is asked for. No lock is
 * handed out there. Of the kind {@code UNAVAILABLE} where that may pass, as after a
 * fail-over, else {@code MISCONFIGURED}.
 *
 * @since 0.1.0
 */
public final class UnsuitableServerException extends LockStoreException {

	private final String problem;

	private final String remedy;

	private UnsuitableServerException(Kind kind, String server, String problem, String remedy, Throwable cause) {
		super(kind, "%s %s: %s (%s)".formatted(server, problem, remedy, RedisFailures.deepestMessage(cause)), cause);
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * Recognize one.
	 * @param setup what the store was made for
	 * @param alone where the application's own Redis is, if it is a single server
	 * @param failure what the driver said
	 * @return nothing if it is something else
	 */
	static @Nullable UnsuitableServerException of(RedisSetup setup, String alone, Throwable failure) {
		Unsuitability found = Unsuitability.of(failure);
		NodeIdentity node = setup.node();
		if (found == null || (node == null && alone.isEmpty())) {
			return null;
		}
		if (node != null) {
			String primary = (found == Unsuitability.REPLICA) ? node.primary() : null;
			return new UnsuitableServerException(
					Kind.MISCONFIGURED, node.toString(), (primary != null)
							? "is a replica of %s, which grants no locks".formatted(primary) : found.problem(),
					found.remedyOfNode(), failure);
		}
		return ofApplication(found, alone, failure);
	}

	/**
	 * A fail-over goes on, and a cluster may be about to heal; the rest stays as it is.
	 */
	private static @Nullable UnsuitableServerException ofApplication(Unsuitability found, String address,
			Throwable failure) {
		return switch (found) {
			case REPLICA -> new UnsuitableServerException(Kind.UNAVAILABLE, "Redis at " + address,
					"answered that it is a read-only replica", found.remedyOfApplication(), failure);
			case CLUSTER -> RedisFailures.isClusterDown(failure) ? null
					: new UnsuitableServerException(Kind.MISCONFIGURED, "Redis at " + address,
							"is a node of a Redis Cluster, and not all of its locks are there",
							found.remedyOfApplication(), failure);
			default -> new UnsuitableServerException(Kind.MISCONFIGURED, "Redis at " + address, found.problem(),
					found.remedyOfApplication(), failure);
		};
	}

	/**
	 * What is wrong with the server.
	 * @return the rest of a sentence that begins with the server
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * How to repair it.
	 * @return a sentence without its full stop
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
