package io.distributedlock.guard;

/**
 * Checks the arguments of every guard.
 *
 * @since 0.1.0
 */
public final class FencedArguments {

	private FencedArguments() {
	}

	/**
	 * Check the arguments. No store hands out a token below 1; a method that runs without
	 * a lock receives 0.
	 * @param resource the name of the guarded resource, not blank
	 * @param token the fencing token of the writer
	 * @throws IllegalArgumentException if there is no name, or the token is not that of a
	 * lock
	 */
	public static void check(String resource, long token) {
		if (resource == null || resource.isBlank()) {
			throw new IllegalArgumentException("A guarded resource needs a name");
		}
		if (token <= 0) {
			throw new IllegalArgumentException(
					"'%s' cannot be guarded by the token %d, which is not the token of a lock".formatted(resource,
							token));
		}
	}

}
