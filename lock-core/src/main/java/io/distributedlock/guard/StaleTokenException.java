package io.distributedlock.guard;

import java.util.OptionalLong;

import io.distributedlock.LockException;
import org.jspecify.annotations.Nullable;

/**
 * A writer is late: another writer with a newer fencing token has reached the resource
 * before. Nothing was written. A retry with the same token fails, too; take the lock and
 * read again.
 *
 * @since 0.1.0
 */
public class StaleTokenException extends LockException {

	private final String resource;

	private final long token;

	private final @Nullable Long highest;

	/**
	 * Create the exception.
	 * @param resource the resource that refused
	 * @param token the token of the late writer
	 * @param highest the newest token that the resource has seen, if known
	 */
	public StaleTokenException(String resource, long token, @Nullable Long highest) {
		super("'%s' refuses the fencing token %d: %s. The lock was lost, and another holder has written since"
			.formatted(resource, token, (highest != null) ? "it has seen " + highest : "it has seen a newer one"));
		this.resource = resource;
		this.token = token;
		this.highest = highest;
	}

	/**
	 * The resource that refused.
	 * @return the resource as the caller wrote it
	 */
	public String getResource() {
		return this.resource;
	}

	/**
	 * The token of the late writer.
	 * @return the token
	 */
	public long getToken() {
		return this.token;
	}

	/**
	 * The newest token that the resource has seen.
	 * @return the token, or empty if it cannot be seen from the writer's transaction
	 */
	public OptionalLong getHighest() {
		return (this.highest != null) ? OptionalLong.of(this.highest) : OptionalLong.empty();
	}

}
