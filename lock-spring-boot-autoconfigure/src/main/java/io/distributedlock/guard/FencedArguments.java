package io.distributedlock.guard;

import org.springframework.util.Assert;

/** What every guard demands of its callers. */
final class FencedArguments {

	private FencedArguments() {
	}

	/**
	 * Check the arguments. No store hands out a token below 1: that is what a method
	 * receives which runs without a lock.
	 * @param resource the resource
	 * @param token the token
	 */
	static void check(String resource, long token) {
		Assert.hasText(resource, "A guarded resource needs a name");
		Assert.isTrue(token > 0, () -> "'%s' cannot be guarded by the token %d, which is not the token of a lock"
			.formatted(resource, token));
	}

}
