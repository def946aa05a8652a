package io.distributedlock.sample.shop;

/**
 * A write was refused because a later holder of the lock has already written: the one
 * that gets this has lost the lock, maybe without having noticed.
 */
public class StaleWriteException extends RuntimeException {

	private final long token;

	StaleWriteException(String item, long token) {
		super("The write to '%s' with token %d came too late".formatted(item, token));
		this.token = token;
	}

	/**
	 * The token of the writer that was refused.
	 * @return smaller than the fence
	 */
	public long getToken() {
		return this.token;
	}

}
