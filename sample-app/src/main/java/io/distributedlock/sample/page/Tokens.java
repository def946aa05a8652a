package io.distributedlock.sample.page;

import io.distributedlock.LossReason;

/** Tokens and reasons as humans can read them. */
final class Tokens {

	private static final int SHOWN = 6;

	private Tokens() {
	}

	/** Return the last digits, in which the tokens of one sale differ. */
	static String shortened(long token) {
		String digits = String.valueOf(token);
		return (digits.length() <= SHOWN) ? digits : "…" + digits.substring(digits.length() - SHOWN);
	}

	static String reason(String name) {
		return LossReason.valueOf(name).description();
	}

}
