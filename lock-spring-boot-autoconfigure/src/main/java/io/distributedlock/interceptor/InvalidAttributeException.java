package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;

/** What a declaration says cannot work; whose it is, is known further up. */
final class InvalidAttributeException extends IllegalArgumentException {

	private final String remedy;

	/**
	 * Create the exception.
	 * @param problem what is wrong, without a full stop
	 * @param remedy what to do about it, without a full stop
	 * @param cause what was found out below
	 */
	InvalidAttributeException(String problem, String remedy, @Nullable Throwable cause) {
		super(problem, cause);
		this.remedy = remedy;
	}

	InvalidAttributeException(String problem, String remedy) {
		this(problem, remedy, null);
	}

	String getRemedy() {
		return this.remedy;
	}

}
