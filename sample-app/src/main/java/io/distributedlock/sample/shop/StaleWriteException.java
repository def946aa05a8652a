package io.distributedlock.sample.shop;

/**
 * A write was refused because a later holder of the lock has already written. The refused
 * writer has lost the lock, maybe without notice.
 */
public class StaleWriteException extends RuntimeException {

	private final long token;

	StaleWriteException(String item, long token) {
		super("The write to '%s' with token %d came too late".formatted(item, token));
		this.token = token;
	}

	/**
	 * The token of the writer that was refused.
	 * @return the token, which is smaller than the fence
	 */
	public long getToken() {
		return this.token;
	}

}
