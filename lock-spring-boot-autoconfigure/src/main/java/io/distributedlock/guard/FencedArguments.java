package io.distributedlock.guard;

import org.springframework.util.Assert;

/** Checks the arguments of all guards. */
final class FencedArguments {

	private FencedArguments() {
	}

	/**
	 * Check the arguments. No store hands out a token below 1; a method that runs without
	 * a lock receives 0.
	 */
	static void check(String resource, long token) {
		Assert.hasText(resource, "A guarded resource needs a name");
		Assert.isTrue(token > 0, () -> "'%s' cannot be guarded by the token %d, which is not the token of a lock"
			.formatted(resource, token));
	}

}
