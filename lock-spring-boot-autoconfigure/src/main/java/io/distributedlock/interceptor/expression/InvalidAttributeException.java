package io.distributedlock.interceptor.expression;

import org.jspecify.annotations.Nullable;

/** What a declaration says cannot work; whose it is, is known further up. */
public final class InvalidAttributeException extends IllegalArgumentException {

	private final String remedy;

	/**
	 * Create the exception.
	 * @param problem what is wrong, without a full stop
	 * @param remedy what to do about it, without a full stop
	 * @param cause what was found out below
	 */
	public InvalidAttributeException(String problem, String remedy, @Nullable Throwable cause) {
		super(problem, cause);
		this.remedy = remedy;
	}

	/**
	 * Create the exception.
	 * @param problem what is wrong, without a full stop
	 * @param remedy what to do about it, without a full stop
	 */
	public InvalidAttributeException(String problem, String remedy) {
		this(problem, remedy, null);
	}

	/**
	 * What to do about it.
	 * @return half a sentence
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
