package io.distributedlock.interceptor.internal;

import org.jspecify.annotations.Nullable;

/** Thrown when a declaration cannot work. The caller adds the method to the message. */
public final class InvalidAttributeException extends IllegalArgumentException {

	private final String remedy;

	/**
	 * Create the exception.
	 * @param problem the problem, without a full stop
	 * @param remedy the remedy, without a full stop
	 * @param cause the failure behind it
	 */
	public InvalidAttributeException(String problem, String remedy, @Nullable Throwable cause) {
		super(problem, cause);
		this.remedy = remedy;
	}

	/**
	 * Create the exception.
	 * @param problem the problem, without a full stop
	 * @param remedy the remedy, without a full stop
	 */
	public InvalidAttributeException(String problem, String remedy) {
		this(problem, remedy, null);
	}

	/**
	 * The remedy.
	 * @return a clause without a full stop
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
