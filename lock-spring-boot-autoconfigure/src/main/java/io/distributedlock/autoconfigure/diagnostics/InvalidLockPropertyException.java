package io.distributedlock.autoconfigure.diagnostics;

import java.time.Duration;

/**
 * A property of the locks has a value that cannot work.
 */
public final class InvalidLockPropertyException extends RuntimeException {

	private final String property;

	private final String value;

	private final String problem;

	private final String remedy;

	/**
	 * Create the exception.
	 * @param property the full name of the property
	 * @param value its value
	 * @param problem what is wrong, as the rest of a sentence that starts with the value
	 * @param remedy what to do, as a sentence without its full stop
	 */
	public InvalidLockPropertyException(String property, Object value, String problem, String remedy) {
		super("%s=%s %s. %s.".formatted(property, text(value), problem, remedy));
		this.property = property;
		this.value = text(value);
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * Create the exception for a value that something else refuses.
	 * @param property the full name of the property
	 * @param value its value
	 * @param problem what is wrong, as the rest of a sentence that starts with the value
	 * @param remedy what to do, as a sentence without its full stop
	 * @param cause what refuses the value
	 */
	public InvalidLockPropertyException(String property, Object value, String problem, String remedy, Throwable cause) {
		this(property, value, problem, remedy);
		initCause(cause);
	}

	private static String text(Object value) {
		return (value instanceof Duration duration) ? DurationText.of(duration) : value.toString();
	}

	String getProperty() {
		return this.property;
	}

	String getValue() {
		return this.value;
	}

	String getProblem() {
		return this.problem;
	}

	String getRemedy() {
		return this.remedy;
	}

}
